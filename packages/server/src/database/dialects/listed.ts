/**
 * Rows that are not in the database yet, for use in `from`. They are one parameter, a JSON list, so the
 * statement is the same for any number of rows.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { refuseUnstorableText } from '../driver.ts'
import type { Schema } from '../schema/schema.ts'
import { isPostgres } from './expressions.ts'

type Types = Readonly<Record<string, 'text' | 'bigint' | 'bytea'>>
type Rows<Columns extends Types> = readonly Readonly<
  Record<keyof Columns, string | number | null | Uint8Array>
>[]

/** `list` is from {@link listOf} with the same columns, or its placeholder. `name` and columns must be our own. */
export function listed(
  query: Kysely<Schema>,
  name: string,
  columns: Types,
  list: string,
): RawBuilder<unknown> {
  const names = Object.keys(columns)
  if (isPostgres(query)) {
    const typed = names.map((column) => sql`${sql.ref(column)} ${sql.raw(columns[column] ?? '')}`)
    return sql`json_to_recordset(${list}::json) as ${sql.table(name)} (${sql.join(typed)})`
  }
  const values = names.map((column) => {
    const value = sql`value ->> ${sql.lit(column)}`
    // PostgreSQL's text form of bytes begins with these two characters.
    return sql`${columns[column] === 'bytea' ? sql`unhex(substr(${value}, 3))` : value} as ${sql.ref(column)}`
  })
  return sql`(select ${sql.join(values)} from json_each(${list})) as ${sql.table(name)}`
}

/** Returns the parameter. Throws for text that a database cannot store. */
export function listOf<Columns extends Types>(columns: Columns, rows: Rows<Columns>): string {
  const names = Object.keys(columns)
  // The driver sees only one string, in which JSON escapes characters that can't be stored.
  for (const row of rows) refuseUnstorableText(names.map((column) => row[column]))
  const bytes = names.filter((column) => columns[column] === 'bytea')
  if (bytes.length === 0) return JSON.stringify(rows)
  return JSON.stringify(
    rows.map((row) => ({ ...row, ...Object.fromEntries(bytes.map((name) => [name, inHex(row[name])])) })),
  )
}

const inHex = (value: string | number | null | Uint8Array | undefined): string | null =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : null
