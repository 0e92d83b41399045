import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

const isPostgres = (query: Kysely<Schema>): boolean => query.getExecutor().adapter instanceof PostgresAdapter

/** A table, and the condition by which an index finds its rows. */
type Join = (
  query: Kysely<Schema>,
  table: keyof Schema,
  condition: RawBuilder<unknown>,
) => RawBuilder<unknown>

/** Joins at most one row of a table to each of a list. */
export const joinOne: Join = (...asked) => join(sql`limit 1`, ...asked)

/** Joins the few rows of a table that each of a list finds. */
export const joinFew: Join = (...asked) => join(sql`offset 0`, ...asked)

/**
 * Both databases look the rows up one after the other. PostgreSQL would read a small table as a whole, and go on with
 * that while it grows, because it takes a list of rows for a hundred; either clause of `ending` keeps it from that.
 * SQLite may begin with the table, by whatever index has a part of the condition: 0.7 s for one of a million devices. It
 * keeps the order of a `cross join`.
 */
const join = (ending: RawBuilder<unknown>, ...[query, table, condition]: Parameters<Join>) =>
  isPostgres(query)
    ? sql`join lateral (select * from ${sql.table(table)} where ${condition} ${ending}) as ${sql.table(table)} on true`
    : sql`cross join ${sql.table(table)} on ${condition}`

/** A row in one column: JSON text. The names of the columns are ours. */
export const jsonOf = (query: Kysely<Schema>, columns: readonly string[]): RawBuilder<string> => {
  const values = sql.join(columns.map((column) => sql.ref(column)))
  return isPostgres(query) ? sql`json_build_array(${values})::text` : sql`json_array(${values})`
}
