/** Reads the rows of an export that a service sends as JSON lines. */
import type { ExportRow } from '../../files/export-rows.ts'
import { isObject, jsonIn } from '../../foreign-json.ts'
import { ServiceRefusal } from '../context.ts'
import type { Asking, Service, ServiceOperation } from './service.ts'

export type RowOf<Column extends string> = Readonly<Record<Column, ExportRow[string]>>

interface Wanted<Column extends string> extends Pick<Asking, 'query'> {
  readonly columns: readonly Column[]
  /** The noun for a row, with its article, such as `an entry`. */
  readonly what: string
}

/** Rows that are written at a time. */
const TOGETHER = 500

/** Yields batches of rows. Throws `ServiceRefusal` for a line that is not such a row, and as `Service.lines` does. */
export async function* exportedRows<Column extends string>(
  service: Service,
  operation: ServiceOperation,
  { query, columns, what }: Wanted<Column>,
): AsyncGenerator<readonly RowOf<Column>[]> {
  let rows: RowOf<Column>[] = []
  for await (const line of service.lines(operation, { query: { ...query, format: 'ndjson' } })) {
    const row = rowOf(jsonIn(line), columns)
    if (!row) {
      throw new ServiceRefusal(
        `${service.url} answered with a line that is not ${what}. It may be another program. Check --url.`,
      )
    }
    rows.push(row)
    if (rows.length < TOGETHER) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** Returns exactly these columns, in this order, or undefined if one is missing. */
function rowOf<Column extends string>(value: unknown, columns: readonly Column[]): RowOf<Column> | undefined {
  if (!isObject(value) || columns.some((column) => !isCell(value[column]))) return undefined
  // The check above guarantees the type of every cell.
  return Object.fromEntries(columns.map((column) => [column, value[column]])) as RowOf<Column>
}

const isCell = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number'
