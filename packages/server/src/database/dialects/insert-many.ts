/**
 * Inserts many rows with one parameter, a JSON list, so the statement is the same for any number of rows.
 * With a parameter for each value, compiling, sending and parsing 1,000 devices took as long as storing them.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { refuseUnstorableText } from '../driver.ts'
import type { Schema } from '../schema/schema.ts'
import { isPostgres } from './expressions.ts'

type Value = string | number | null | Uint8Array

/** Inserts `rows`, at least one, all with the same columns. */
export function insertMany<Table extends keyof Schema, Column extends keyof Schema[Table] & string>(
  query: Kysely<Schema>,
  table: Table,
  rows: readonly Readonly<Record<Column, Value>>[],
) {
  const columns = Object.keys(rows[0] ?? {}) as Column[]
  const bytes = columns.filter((name) => rows.some((row) => row[name] instanceof Uint8Array))
  const list = JSON.stringify(rows.map((row) => inJson(row, columns, bytes, isPostgres(query) ? '\\x' : '')))
  const selected = isPostgres(query) ? populated(table, columns, list) : taken(columns, bytes, list)
  return query.insertInto(table).columns(columns).expression(selected)
}

function inJson<Column extends string>(
  row: Readonly<Record<Column, Value>>,
  columns: readonly Column[],
  bytes: readonly Column[],
  hexPrefix: string,
): Readonly<Record<string, Value>> {
  // The driver sees only one string, in which JSON escapes characters that can't be stored.
  refuseUnstorableText(columns.map((name) => row[name]))
  if (bytes.length === 0) return row
  const hex = (value: Value) =>
    value instanceof Uint8Array ? hexPrefix + Buffer.from(value).toString('hex') : value
  return { ...row, ...Object.fromEntries(bytes.map((name) => [name, hex(row[name])])) }
}

const populated = (table: string, columns: readonly string[], list: string): RawBuilder<unknown> =>
  sql`select ${sql.join(columns.map((name) => sql.ref(name)))}
    from json_populate_recordset(null::${sql.table(table)}, ${list}::json)`

function taken<Column extends string>(
  columns: readonly Column[],
  bytes: readonly Column[],
  list: string,
): RawBuilder<unknown> {
  const values = columns.map((name) => {
    const value = sql`value ->> ${sql.lit(name)}`
    return bytes.includes(name) ? sql`unhex(${value})` : value
  })
  // Without a condition, SQLite would read `on conflict` as the condition of a join.
  return sql`select ${sql.join(values)} from json_each(${list}) where true`
}
