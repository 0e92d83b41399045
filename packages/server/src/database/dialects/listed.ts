/**
 * Rows that are not in the database yet, for `from`: by one parameter, a JSON list, so that the statement is the same
 * however many they are.
 */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import { refuseUnstorableText } from '../driver.ts'
import type { Schema } from '../schema/schema.ts'

type Types = Readonly<Record<string, 'text' | 'bigint'>>

/** `list` is one of {@link listOf} with the same columns, or its placeholder. Their names and `name` are ours. */
export function listed(
  query: Kysely<Schema>,
  name: string,
  columns: Types,
  list: string,
): RawBuilder<unknown> {
  const names = Object.keys(columns)
  if (query.getExecutor().adapter instanceof PostgresAdapter) {
    const typed = names.map((column) => sql`${sql.ref(column)} ${sql.raw(columns[column] ?? '')}`)
    return sql`json_to_recordset(${list}::json) as ${sql.table(name)} (${sql.join(typed)})`
  }
  const values = names.map((column) => sql`value ->> ${sql.lit(column)} as ${sql.ref(column)}`)
  return sql`(select ${sql.join(values)} from json_each(${list})) as ${sql.table(name)}`
}

/** Throws for text that a database cannot store. */
export function listOf<Columns extends Types>(
  columns: Columns,
  rows: readonly Readonly<Record<keyof Columns, string | number | null>>[],
): string {
  const names = Object.keys(columns)
  // The driver sees one text, and JSON has escapes for what cannot be stored.
  for (const row of rows) refuseUnstorableText(names.map((column) => row[column]))
  return JSON.stringify(rows)
}
