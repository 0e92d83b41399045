/** Writes rows to a file of any size: CSV with a header line, a JSON list with a line per object, or NDJSON. */
import { stringify } from 'csv-stringify/sync'
import { guardedCell } from './csv-shape.ts'

export type ExportRow = Readonly<Record<string, string | number | null>>
/** A row to export. In CSV, an object becomes its JSON. */
type AnyRow = Readonly<Record<string, string | number | object | null>>

/**
 * Yields chunks of the file. Every row has these columns, in this order. Null is an empty field in CSV. A
 * string that a spreadsheet would treat as a formula is guarded (`csv-shape.ts`).
 */
export async function* exportText(
  pages: AsyncIterable<readonly AnyRow[]>,
  { format, columns }: { readonly format: 'csv' | 'json' | 'ndjson'; readonly columns: readonly string[] },
): AsyncGenerator<string> {
  const csv = (rows: readonly (readonly unknown[])[]): string =>
    // Quotes text that a reader could mistake for the end of a line, or trim.
    stringify([...rows], { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ })
  const { begin, textOf, between, end } = {
    csv: {
      begin: csv([columns]),
      textOf: (rows: readonly AnyRow[]) =>
        csv(rows.map((row) => columns.map((column) => cellOf(row[column] ?? null)))),
      ...{ between: '', end: '' },
    },
    ndjson: { begin: '', textOf: linesOf, between: '', end: '' },
    json: {
      begin: '[',
      textOf: (rows: readonly AnyRow[]) => `\n${rows.map((row) => JSON.stringify(row)).join(',\n')}`,
      ...{ between: ',', end: '\n]\n' },
    },
  }[format]
  // Written together with the first page, because reading that page can be refused.
  let before = begin
  for await (const rows of pages) {
    if (rows.length === 0) continue
    yield before + textOf(rows)
    before = between
  }
  yield (before === begin ? begin : '') + end
}

const linesOf = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

function cellOf(value: AnyRow[string]): string | number | null {
  if (typeof value === 'string') return guardedCell(value)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** Yields rows as JSON, one per line, in chunks. Each line can be parsed by itself. */
export async function* jsonLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield linesOf(rows)
}
