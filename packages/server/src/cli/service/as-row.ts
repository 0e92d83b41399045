/** Records of the API as rows of a table. */
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext } from '../context.ts'
import { type ListOption, note, print, printList, type Row } from '../output.ts'
import type { Asking, Service, ServiceOperation } from './service.ts'
import { type WayOptions, withService } from './ways.ts'

/** What is neither text, number nor truth value is shown as JSON. */
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

/** As {@link printList}; JSON has the records as they are. */
export function printRecords(
  context: CommandContext,
  options: ListOption,
  records: readonly JsonObject[],
  shown: { readonly columns: readonly string[]; readonly empty: string },
): void {
  if (options.json) print(context, options, records, '')
  else printList(context, options, records.map(asRow), shown)
}

interface Listed {
  readonly operation: ServiceOperation
  /** Of the list in the answer. */
  readonly name: string
  readonly asking?: Asking | ((service: Service) => Asking)
  readonly most: number
  /** What is said where there are more. */
  readonly more?: string
  readonly columns: readonly string[]
  readonly empty: string
  /** What else is said. */
  readonly after?: (records: readonly JsonObject[]) => void
}

/** A command that prints what an operation lists. Throws as `Service.list` does. */
export async function listRecords(
  context: CommandContext,
  options: ListOption & WayOptions,
  { operation, name, asking = {}, most, more: said, after, ...shown }: Listed,
): Promise<void> {
  const { records, more } = await withService(context, options, 'read', (service) =>
    service.list(operation, name, { ...(typeof asking === 'function' ? asking(service) : asking), most }),
  )
  printRecords(context, options, records, shown)
  if (more && said !== undefined) note(context.streams, said)
  after?.(records)
}
