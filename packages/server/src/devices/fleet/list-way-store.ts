/** The indexes that find the few devices which some filters are about (contract/administration.md, A8). */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/index.ts'
import {
  activityConditions,
  all,
  beginsWith,
  type Condition,
  deviceConditions,
  isAtOne,
  isOfOne,
  isOne,
  registeredWithin,
  seenWithin,
  startsWith,
} from './list-condition-store.ts'
import type { ListFilter, ListSort } from './list-filter.ts'
import { orderOf } from './list-order-store.ts'

type Query = Database['query']

/** By brand, or all of them. */
export type Brands = readonly string[] | 'all'

interface Way {
  readonly table: 'device' | 'device_activity'
  /** Undefined if the filter says nothing that this index is of, or the order has the same index. */
  readonly condition: (
    filter: ListFilter,
    of: { readonly query: Query; readonly brands: Brands; readonly sort: ListSort },
  ) => Condition | undefined
}

const WAYS = {
  // Primary key.
  id: { table: 'device', condition: ({ id }) => equal('device.id', id) },
  // Index device_serial.
  serial: { table: 'device', condition: ({ serial }) => equal('device.serial', serial) },
  // Index device_key.
  key: { table: 'device', condition: ({ deviceKeyId }) => equal('device.device_key_id', deviceKeyId) },
  // Index device_serial_bytes.
  'serial-prefix': {
    table: 'device',
    condition: ({ serialPrefix: text }, { query }) =>
      text === undefined ? undefined : startsWith(query, 'device.serial', text),
  },
  // Index device_key_bytes.
  'key-prefix': {
    table: 'device',
    condition: ({ keyPrefix: text }, { query }) =>
      text === undefined ? undefined : startsWith(query, 'device.device_key_id', text),
  },
  // Both of these indexes.
  beginning: {
    table: 'device',
    condition: ({ beginning: text }, { query }) => (text === undefined ? undefined : beginsWith(query, text)),
  },
  // Index device_activity_address or device_activity_brand_address.
  address: {
    table: 'device_activity',
    condition: ({ addresses }, { query }) => addresses && isAtOne(addresses, query),
  },
  // Index device_activity_evidence or device_activity_brand_evidence.
  evidence: {
    table: 'device_activity',
    condition: ({ evidence }, { sort }) =>
      evidence && sort !== '-evidence' ? sql`device_activity.evidence_at is not null` : undefined,
  },
  // Index device_quarantined or device_brand_quarantined.
  quarantined: {
    table: 'device',
    condition: ({ quarantined }) => (quarantined ? sql`device.quarantined_at is not null` : undefined),
  },
  // Index device_waiting.
  waiting: {
    table: 'device',
    condition: ({ statuses }) =>
      statuses?.every((status) => status === 'pending') ? sql`device.status = 'pending'` : undefined,
  },
  // Index device_registered or device_brand_registered.
  registered: {
    table: 'device',
    condition: (filter, { sort }) =>
      sort.endsWith('registered') ? undefined : some(registeredWithin(filter)),
  },
  // Index device_activity_seen or device_activity_brand_seen.
  seen: {
    table: 'device_activity',
    condition: (filter, { sort }) => (sort.endsWith('seen') ? undefined : some(seenWithin(filter))),
  },
  // Index device_model, or device_model_status. Of models that the caller may see.
  model: {
    table: 'device',
    condition: ({ models, statuses }, { brands }) => {
      const own = models?.filter(({ brandId }) => brands === 'all' || brands.includes(brandId))
      if (!own || own.length === 0) return undefined
      return all([isOfOne(own), ...(statuses ? [isOne('device.status', statuses)] : [])])
    },
  },
  // Index device_status, which is of all brands.
  status: {
    table: 'device',
    condition: ({ statuses }, { brands }) =>
      statuses && brands === 'all' ? isOne('device.status', statuses) : undefined,
  },
} as const satisfies Readonly<Record<string, Way>>

const equal = (column: string, value: string | undefined): Condition | undefined =>
  value === undefined ? undefined : sql`${sql.ref(column)} = ${value}`

const some = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.length === 0 ? undefined : all(conditions)

/** What one index finds. */
export interface FewDevices {
  readonly table: Way['table']
  readonly condition: Condition
  /** Of a row. */
  readonly cost: number
}

interface Asked {
  readonly brands: Brands
  readonly sort: ListSort
}

/*
 * What a row costs that a list looks at, so that a page takes about as long whatever is asked for. One is a row in the
 * order of registration, where devices that came together stand together.
 */
/** It stands anywhere on the disk. */
const SCATTERED = 2
/** So does the row of the other table that belongs to it. */
const LOOKED_UP = 2

/** Of a window of the order's own index. */
export function costInOrder(
  { filter, sort }: { readonly filter: ListFilter; readonly sort: ListSort },
  query: Query,
): number {
  const { table, column } = orderOf(sort)
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  return (column === 'registered_at' ? 1 : SCATTERED) * (others.length > 0 ? LOOKED_UP : 1)
}

function costOfFew(table: Way['table'], filter: ListFilter, sort: ListSort, query: Query): number {
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  return SCATTERED * (others.length > 0 || orderOf(sort).table !== table ? LOOKED_UP : 1)
}

/** The indexes that a filter names, the narrowest first. */
export function waysOf(filter: ListFilter, { brands, sort }: Asked, query: Query): readonly FewDevices[] {
  return Object.values<Way>(WAYS).flatMap(({ table, condition }) => {
    const found = condition(filter, { query, brands, sort })
    if (!found) return []
    const own = brands === 'all' ? [] : [isOne(`${table}.brand_id`, brands)]
    return { table, condition: all([...own, found]), cost: costOfFew(table, filter, sort, query) }
  })
}

/** What the index finds. */
export const fromFew = ({ table, condition }: FewDevices): RawBuilder<unknown> =>
  sql`from ${sql.table(table)} where ${condition}`
