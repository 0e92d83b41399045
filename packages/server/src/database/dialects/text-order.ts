import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/**
 * Orders a text column by code point, regardless of the database's collation. `bytewise` indexes have this
 * order. The column's name must be our own.
 */
export function byteOrder(query: Kysely<Schema>, column: string): RawBuilder<string> {
  const collates = query.getExecutor().adapter instanceof PostgresAdapter
  // SQLite compares bytes by default.
  return collates ? sql`${sql.ref(column)} collate "C"` : sql`${sql.ref(column)}`
}

/** Returns the text with A to Z in lower case and all other characters unchanged, like SQLite's function. */
export const asciiLower = (query: Kysely<Schema>, text: Expression<unknown>): RawBuilder<string> =>
  query.getExecutor().adapter instanceof PostgresAdapter
    ? sql<string>`lower(${text} collate "C")`
    : sql<string>`lower(${text})`
