import { type Kysely, PostgresAdapter } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** Whether several inserts can be one statement, in a `with`. On SQLite they are a transaction. */
export const insertsInWith = (query: Kysely<Schema>): boolean =>
  query.getExecutor().adapter instanceof PostgresAdapter
