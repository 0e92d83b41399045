/** The orders of lists: which column of which table each one goes by, and its indexes. */
import { type RawBuilder, sql } from 'kysely'
import { byteOrder, type Database } from '../../database/index.ts'
import type { ListPosition, ListSort } from './list-filter.ts'

interface Order {
  /** Which has an index of the column and the id of the device, and one with the brand before them. */
  readonly table: 'device' | 'device_activity'
  readonly column: 'registered_at' | 'serial' | 'last_seen_at' | 'evidence_at'
  readonly direction: 'asc' | 'desc'
}

const REGISTERED = { table: 'device', column: 'registered_at' } as const
const SEEN = { table: 'device_activity', column: 'last_seen_at' } as const

const ORDERS: Readonly<Record<ListSort, Order>> = {
  // Indexes device_registered and device_brand_registered.
  '-registered': { ...REGISTERED, direction: 'desc' },
  registered: { ...REGISTERED, direction: 'asc' },
  // Indexes device_serial_bytes and device_brand_serial.
  serial: { table: 'device', column: 'serial', direction: 'asc' },
  // Indexes device_activity_seen and device_activity_brand_seen.
  '-seen': { ...SEEN, direction: 'desc' },
  seen: { ...SEEN, direction: 'asc' },
  // Indexes device_activity_evidence and device_activity_brand_evidence.
  '-evidence': { table: 'device_activity', column: 'evidence_at', direction: 'desc' },
}

type Query = Database['query']

export const orderOf = (sort: ListSort): Order => ORDERS[sort]

/** What the rows of a table are sorted by; a text by code point. */
export const sortKeyIn = (
  query: Query,
  sort: ListSort,
  table: string = ORDERS[sort].table,
): RawBuilder<unknown> =>
  sort === 'serial' ? byteOrder(query, `${table}.serial`) : sql`${sql.ref(`${table}.${ORDERS[sort].column}`)}`

/** For `order by`, with the id last. */
export const inOrder = (sort: ListSort, key: RawBuilder<unknown>, id: RawBuilder<unknown>) => {
  const direction = sql.raw(ORDERS[sort].direction)
  return sql`${key} ${direction}, ${id} ${direction}`
}

/** Whether a row comes behind a position. */
export const behind = (
  sort: ListSort,
  { key, id }: ListPosition,
  row: { readonly key: RawBuilder<unknown>; readonly id: RawBuilder<unknown> },
): RawBuilder<boolean> =>
  sql<boolean>`(${row.key}, ${row.id}) ${sql.raw(ORDERS[sort].direction === 'desc' ? '<' : '>')} (${key}, ${id})`
