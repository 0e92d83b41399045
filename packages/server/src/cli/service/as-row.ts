/** Shows records of the API as rows of a table. */
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { note, print, printList, type Row } from '../output.ts'
import type { Asking, Service, ServiceOperation } from './service.ts'
import { withService } from './ways.ts'

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

/** Prints like {@link printList}, but with unchanged records in JSON. */
export function printRecords(
  context: CommandContext,
  options: CommonOptions,
  records: readonly JsonObject[],
  shown: { readonly columns: readonly string[]; readonly empty: string },
): void {
  if (options.json) print(context, options, records, '')
  else printList(context, options, records.map(asRow), shown)
}

interface Listed {
  readonly operation: ServiceOperation
  /** The name of the list in the answer. */
  readonly name: string
  readonly asking?: Asking | ((service: Service) => Asking)
  readonly most: number
  /** A note for the case that there are more records. */
  readonly more?: string
  readonly columns: readonly string[]
  readonly empty: string
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
  if (more && said !== undefined) note(context.streams, said)
  after?.(records)
}
