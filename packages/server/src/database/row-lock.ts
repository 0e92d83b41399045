import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from './schema/schema.ts'

/**
 * Ends a `select` in a transaction, for `modifyEnd`: until its end nobody removes the row (`key share`, which those who
 * refer to it share), or nobody removes, changes or refers to it (`update`). SQLite needs none: there those who write
 * come one after the other.
 */
export function rowLock(query: Kysely<Schema>, strength: 'key share' | 'update'): RawBuilder<unknown> {
  const locks = query.getExecutor().adapter instanceof PostgresAdapter
  return locks ? sql`for ${sql.raw(strength)}` : sql``
}
