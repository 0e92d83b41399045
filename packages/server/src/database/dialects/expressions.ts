/** Expressions and clauses that the two databases spell differently. Names of columns must be our own. */
import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../differences.ts'
import type { Schema } from '../schema/schema.ts'

/** Whether the statements of `query` run on PostgreSQL. */
export const isPostgres = (query: Kysely<Schema>): boolean =>
  query.getExecutor().adapter instanceof PostgresAdapter

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

/** Returns a row as one column of JSON text. */
export const jsonOf = (query: Kysely<Schema>, columns: readonly string[]): RawBuilder<string> => {
  const values = sql.join(columns.map((column) => sql.ref(column)))
  return isPostgres(query) ? sql`json_build_array(${values})::text` : sql`json_array(${values})`
}

const NOW: Readonly<Record<DatabaseKind, RawBuilder<number>>> = {
  sqlite: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  postgres: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
}

/** The database's own time as an instant, for queries in which the clocks of nodes must not matter. */
export const databaseNow = (kind: DatabaseKind): RawBuilder<number> => NOW[kind]

/**
 * Ends a `select` in a transaction, for `modifyEnd`. Until the transaction ends, no other can remove the row
 * (`key share`; transactions that refer to the row can share it), remove or change it (`share`, which several
 * can have, or `no key update`), or remove, change or refer to it (`update`). With `of`, only rows of this
 * table are locked. With `skip locked`, rows that another transaction is changing are left out. SQLite needs
 * no lock, because its writers run one after the other.
 */
export function rowLock(
  query: Kysely<Schema>,
  strength: 'key share' | 'share' | 'no key update' | 'update',
  { of, locked = 'wait' }: { readonly of?: keyof Schema; readonly locked?: 'wait' | 'skip locked' } = {},
): RawBuilder<unknown> {
  const which = of === undefined ? '' : ` of ${of}`
  const clause = sql`for ${sql.raw(strength + which + (locked === 'wait' ? '' : ` ${locked}`))}`
  return isPostgres(query) ? clause : sql``
}

/** Orders a text column by code point, as `bytewise` indexes do. SQLite compares bytes by default. */
export const byteOrder = (query: Kysely<Schema>, column: string): RawBuilder<string> =>
  isPostgres(query) ? sql`${sql.ref(column)} collate "C"` : sql`${sql.ref(column)}`

/** Returns the text with A to Z in lower case and all other characters unchanged, like SQLite's function. */
export const asciiLower = (query: Kysely<Schema>, text: Expression<unknown>): RawBuilder<string> =>
  isPostgres(query) ? sql<string>`lower(${text} collate "C")` : sql<string>`lower(${text})`

/** Whether several inserts can be one statement, in a `with`. On SQLite they need a transaction. */
export const insertsInWith = (query: Kysely<Schema>): boolean => isPostgres(query)

/** Whether a column contains the text, case-sensitively. */
export const contains = (query: Kysely<Schema>, column: string, text: string): RawBuilder<boolean> =>
  isPostgres(query)
    ? sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`
    : sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`
