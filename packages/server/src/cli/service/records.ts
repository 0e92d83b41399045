/** Asks a service, and prints its records: one in full, or a list as the rows of a table. */
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { flagsOf, note, print, printList, type Row } from '../output.ts'
import type { Asking, Service, ServiceOperation } from './service.ts'
import { type Access, withService } from './ways.ts'

/** Converts a record to a row; values other than text, numbers and booleans become JSON. */
export const asRow = (record: JsonObject): Row =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cellOf(value)]))

function cellOf(value: unknown): Row[string] {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return value
  }
  return JSON.stringify(value)
}

/** Prints the record that `work` returns, and for people what `told` says about it. Throws as `work` does. */
export async function printRecord(
  context: CommandContext,
  options: CommonOptions,
  access: Access,
  work: (service: Service) => Promise<JsonObject>,
  told: (record: JsonObject) => string,
): Promise<void> {
  const record = await withService(context, options, access, work)
  print(context, options, record, told(record))
}

interface ShownRecords<One> {
  /** The columns of a table without `--columns`. */
  readonly columns: readonly string[]
  /** Text for a list without records. */
  readonly empty: string
  /** The options that narrow the list. If any is given, the text for a list without records repeats it instead. */
  readonly filters?: object
  /** Converts a record to a row of the table. Default: {@link asRow}. */
  readonly row?: (record: One) => Row
}

/** Prints like {@link printList}, but with unchanged records in JSON. */
export function printRecords<One extends JsonObject>(
  context: CommandContext,
  options: CommonOptions,
  records: readonly One[],
  { row = asRow, columns, empty, filters = {} }: ShownRecords<One>,
): void {
  const flags = flagsOf(filters)
  const none = flags === '' ? empty : `Nothing matches ${flags}.`
  if (options.json) print(context, options, records, '')
  else printList(context, options, records.map(row), { columns, empty: none })
}

interface Listed extends ShownRecords<JsonObject> {
  readonly operation: ServiceOperation
  /** The name of the list in the answer. */
  readonly name: string
  readonly asking?: Asking | ((service: Service) => Asking)
  readonly most: number
  /** A note for the case that there are more records. */
  readonly more?: string | ((records: readonly JsonObject[]) => string) | undefined
  /** Prints more after the list. */
  readonly after?: (records: readonly JsonObject[]) => void
}

/** Prints the records that an operation lists. Throws as `Service.list` does. */
export async function listRecords(
  context: CommandContext,
  options: CommonOptions,
  { operation, name, asking = {}, most, more: said, after, ...shown }: Listed,
): Promise<void> {
  const { records, more } = await withService(context, options, 'read', (service) =>
    service.list(operation, name, { ...(typeof asking === 'function' ? asking(service) : asking), most }),
  )
  printRecords(context, options, records, shown)
  if (more && said !== undefined) note(context.streams, typeof said === 'string' ? said : said(records))
  after?.(records)
}
