/** Writes rows to a file that may be large: CSV with a header line, or a JSON list with an object on each line. */
import { stringify } from 'csv-stringify/sync'

export type ExportRow = Readonly<Record<string, string | number | null>>

/** Yields chunks of the file. Every row has these columns, in this order. Null is an empty field in CSV. */
export async function* exportText(
  pages: AsyncIterable<readonly ExportRow[]>,
  { format, columns }: { readonly format: 'csv' | 'json'; readonly columns: readonly string[] },
): AsyncGenerator<string> {
  const csv = (rows: readonly (readonly unknown[])[]): string =>
    // Quotes whatever a reader may take for the end of a line, or trim.
    stringify([...rows], { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ })
  let first = true
  yield format === 'csv' ? csv([columns]) : '['
  for await (const rows of pages) {
    if (rows.length === 0) continue
    if (format === 'csv') yield csv(rows.map((row) => columns.map((column) => row[column])))
    else yield `${first ? '' : ','}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}`
    first = false
  }
  if (format === 'json') yield '\n]\n'
}
