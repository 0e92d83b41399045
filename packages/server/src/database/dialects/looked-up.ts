import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

const isPostgres = (query: Kysely<Schema>): boolean => query.getExecutor().adapter instanceof PostgresAdapter

/** Joins a table by a condition that an index serves. */
type Join = (
  query: Kysely<Schema>,
  table: keyof Schema,
  condition: RawBuilder<unknown>,
) => RawBuilder<unknown>

/** Joins at most one row of a table to each row of a list. */
export const joinOne: Join = (...asked) => join(sql`limit 1`, ...asked)

/** Joins a few rows of a table to each row of a list. */
export const joinFew: Join = (...asked) => join(sql`offset 0`, ...asked)

/**
 * Makes both databases look the rows up one after the other. PostgreSQL estimates a list at a hundred rows, so
 * it would read a small table as a whole, and keep doing so while it grows; either clause of `ending`
 * prevents that. SQLite could begin with the table, by any index with a part of the condition: 0.7 s for a
 * table of a million devices. It keeps the order of a `cross join`.
 */
const join = (ending: RawBuilder<unknown>, ...[query, table, condition]: Parameters<Join>) =>
  isPostgres(query)
    ? sql`join lateral (select * from ${sql.table(table)} where ${condition} ${ending}) as ${sql.table(table)} on true`
    : sql`cross join ${sql.table(table)} on ${condition}`

/** Returns a row as one column of JSON text. Column names must be our own. */
export const jsonOf = (query: Kysely<Schema>, columns: readonly string[]): RawBuilder<string> => {
  const values = sql.join(columns.map((column) => sql.ref(column)))
  return isPostgres(query) ? sql`json_build_array(${values})::text` : sql`json_array(${values})`
}
