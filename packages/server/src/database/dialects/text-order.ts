import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/**
 * A column of text by code point, whatever the collation of the database: the order that `bytewise` indexes have. The
 * name of the column is ours.
 */
export function byteOrder(query: Kysely<Schema>, column: string): RawBuilder<string> {
  const collates = query.getExecutor().adapter instanceof PostgresAdapter
  // SQLite compares the bytes unless told otherwise.
  return collates ? sql`${sql.ref(column)} collate "C"` : sql`${sql.ref(column)}`
}

/** A text with the letters A to Z in lower case, and all others as they are: what SQLite's function does anyway. */
export const asciiLower = (query: Kysely<Schema>, text: Expression<unknown>): RawBuilder<string> =>
  query.getExecutor().adapter instanceof PostgresAdapter
    ? sql<string>`lower(${text} collate "C")`
    : sql<string>`lower(${text})`
