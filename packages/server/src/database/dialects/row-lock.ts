import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

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
  const locks = query.getExecutor().adapter instanceof PostgresAdapter
  const which = of === undefined ? '' : ` of ${of}`
  return locks ? sql`for ${sql.raw(strength + which + (locked === 'wait' ? '' : ` ${locked}`))}` : sql``
}
