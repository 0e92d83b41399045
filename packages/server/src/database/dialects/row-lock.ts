import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/**
 * Ends a `select` in a transaction, for `modifyEnd`: until the transaction ends, no other can remove the row (`key
 * share`; transactions that refer to the row can share it), remove or change it (`share`, which several can have, or
 * `no key update`), or remove, change or refer to it (`update`). SQLite needs no lock: its writers run one after the
 * other.
 */
export function rowLock(
  query: Kysely<Schema>,
  strength: 'key share' | 'share' | 'no key update' | 'update',
): RawBuilder<unknown> {
  const locks = query.getExecutor().adapter instanceof PostgresAdapter
  return locks ? sql`for ${sql.raw(strength)}` : sql``
}
