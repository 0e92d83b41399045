import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

const isPostgres = (query: Kysely<Schema>): boolean => query.getExecutor().adapter instanceof PostgresAdapter

/**
 * Joins at most one row of a table, which an index finds by `condition`, to each of a list. PostgreSQL would read a small
 * table as a whole, and go on with that while it grows, because it takes a list of rows for a hundred. SQLite may begin
 * with the table, by whatever index has a part of the condition: 0.7 s for one of a million devices. It keeps the order
 * of a `cross join`.
 */
export const joinOne = (
  query: Kysely<Schema>,
  table: keyof Schema,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  isPostgres(query)
    ? sql`join lateral (select * from ${sql.table(table)} where ${condition} limit 1) as ${sql.table(table)} on true`
    : sql`cross join ${sql.table(table)} on ${condition}`

/** A row in one column: JSON text. The names of the columns are ours. */
export const jsonOf = (query: Kysely<Schema>, columns: readonly string[]): RawBuilder<string> => {
  const values = sql.join(columns.map((column) => sql.ref(column)))
  return isPostgres(query) ? sql`json_build_array(${values})::text` : sql`json_array(${values})`
}
