import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/**
 * Ends a `select` in a transaction, for `modifyEnd`: until the transaction ends, no other can remove the row (`key
 * share`; transactions that refer to the row can share it), remove or change it (`share`, which several can have, or
 * `no key update`), or remove, change or refer to it (`update`). `of`: only the row of this table. `skip locked` leaves
 * rows out that another transaction is changing. SQLite needs no lock: its writers run one after the other.
 */
export function rowLock(
  query: Kysely<Schema>,
  strength: 'key share' | 'share' | 'no key update' | 'update',
  { of, locked = 'wait' }: { readonly of?: keyof Schema; readonly locked?: 'wait' | 'skip locked' } = {},
): RawBuilder<unknown> {
  const locks = query.getExecutor().adapter instanceof PostgresAdapter
  const which = of === undefined ? '' : ` of ${of}`
  return locks ? sql`for ${sql.raw(strength + which + (locked === 'wait' ? '' : ` ${locked}`))}` : sql``
}
