import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** A text with the letters A to Z in lower case, and all others as they are: what SQLite's function does anyway. */
export const asciiLower = (query: Kysely<Schema>, text: Expression<unknown>): RawBuilder<string> =>
  query.getExecutor().adapter instanceof PostgresAdapter
    ? sql<string>`lower(${text} collate "C")`
    : sql<string>`lower(${text})`
