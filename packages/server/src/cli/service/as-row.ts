/** A record of the API as a row of a table. */
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext } from '../context.ts'
import { type ListOption, print, printList, type Row } from '../output.ts'

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
