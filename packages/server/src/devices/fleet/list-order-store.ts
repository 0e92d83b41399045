/** The orders of lists: the table and column that each one sorts by, and its indexes. */
import { type RawBuilder, sql } from 'kysely'
import { byteOrder, type Database } from '../../database/index.ts'
import type { ListPosition, ListSort } from './list-filter.ts'

interface Order {
  /** The table has an index of the column and the device's id, and one with the brand before them. */
  readonly table: 'device' | 'device_activity'
  readonly column: 'registered_at' | 'serial' | 'last_seen_at' | 'evidence_at'
  readonly direction: 'asc' | 'desc'
}

const REGISTERED = { table: 'device', column: 'registered_at' } as const
const SEEN = { table: 'device_activity', column: 'last_seen_at' } as const

const ORDERS: Readonly<Record<ListSort, Order>> = {
  // Uses the indexes device_registered and device_brand_registered.
  '-registered': { ...REGISTERED, direction: 'desc' },
  registered: { ...REGISTERED, direction: 'asc' },
  // Uses the indexes device_serial_bytes and device_brand_serial.
  serial: { table: 'device', column: 'serial', direction: 'asc' },
  // Uses the indexes device_activity_seen and device_activity_brand_seen.
  '-seen': { ...SEEN, direction: 'desc' },
  seen: { ...SEEN, direction: 'asc' },
  // Uses the indexes device_activity_evidence and device_activity_brand_evidence.
  '-evidence': { table: 'device_activity', column: 'evidence_at', direction: 'desc' },
}

type Query = Database['query']

export const orderOf = (sort: ListSort): Order => ORDERS[sort]

/** Returns the sort key of the table's rows. Text is sorted by code point. */
export const sortKeyIn = (
  query: Query,
  sort: ListSort,
  table: string = ORDERS[sort].table,
): RawBuilder<unknown> =>
  sort === 'serial' ? byteOrder(query, `${table}.serial`) : sql`${sql.ref(`${table}.${ORDERS[sort].column}`)}`

/** Returns the expressions for `order by`, with the id last. */
export const inOrder = (sort: ListSort, key: RawBuilder<unknown>, id: RawBuilder<unknown>) => {
  const direction = sql.raw(ORDERS[sort].direction)
  return sql`${key} ${direction}, ${id} ${direction}`
}

/** Returns the condition that a row comes after a position. */
export const behind = (
  sort: ListSort,
  { key, id }: ListPosition,
  row: { readonly key: RawBuilder<unknown>; readonly id: RawBuilder<unknown> },
): RawBuilder<boolean> =>
  sql<boolean>`(${row.key}, ${row.id}) ${sql.raw(ORDERS[sort].direction === 'desc' ? '<' : '>')} (${key}, ${id})`
