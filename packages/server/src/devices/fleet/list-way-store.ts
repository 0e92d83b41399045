/** The indexes that find the few devices which some filters are about (contract/administration.md, A8). */
import { isDeviceId } from '@ratafia/api'
import { type RawBuilder, sql } from 'kysely'
import type { AddressRange } from '../../addresses/address-classes.ts'
import { byteOrder, type Database, devicesByParts, joinFew, listed, listOf } from '../../database/index.ts'
import {
  activityConditions,
  all,
  type Condition,
  deviceConditions,
  historyConditions,
  isAtOne,
  isOne,
  KEY_BEGINNING,
  registeredWithin,
  seenWithin,
  startsWith,
} from './list-condition-store.ts'
import type { ListFilter, ListSort } from './list-filter.ts'
import { orderOf } from './list-order-store.ts'

type Query = Database['query']

/** By brand, or all of them. */
export type Brands = readonly string[] | 'all'

/** Rows that follow each other in an index. */
interface Part {
  /** Undefined: the table. */
  readonly from?: RawBuilder<unknown>
  readonly condition: Condition
  /**
   * The columns of the index, so that no other way is as good: a planner that hopes to find enough rows soon would read
   * the table, and all of it where they are at its end. Absent where the condition finds a few rows.
   */
  readonly order?: RawBuilder<unknown>
}

interface Way {
  readonly table: 'device' | 'device_activity'
  /** What fits may be a large part of the register, and then a page in order has enough of it at once. */
  readonly isLast?: true
  /** Undefined if the filter says nothing that this index is of, or the order has the same index. */
  readonly parts: (
    filter: ListFilter,
    of: { readonly query: Query; readonly brands: Brands; readonly sort: ListSort },
  ) => readonly Part[] | undefined
}

const WAYS = {
  // Primary key.
  id: { table: 'device', parts: ({ id }, { brands }) => equal('device.id', id, brands) },
  // Index device_serial.
  serial: { table: 'device', parts: ({ serial }, { brands }) => equal('device.serial', serial, brands) },
  // Index device_key.
  key: {
    table: 'device',
    parts: ({ deviceKeyId: key }, { brands }) => equal('device.device_key_id', key, brands),
  },
  // Index device_serial_bytes or device_brand_serial.
  'serial-prefix': {
    table: 'device',
    parts: ({ serialPrefix: text }, { query, brands }) =>
      text === undefined ? undefined : serialsFrom(text, query, brands),
  },
  // Index device_key_bytes.
  'key-prefix': {
    table: 'device',
    parts: ({ keyPrefix: text }, { query, brands }) =>
      text === undefined ? undefined : keysFrom(text, query, brands),
  },
  // Index device_serial_parts, or table searched_serial; for a long text index device_key_bytes and the primary key too.
  search: {
    table: 'device',
    isLast: true,
    parts: ({ search: text }, { query, brands }) => {
      if (text === undefined) return undefined
      const found = (brands === 'all' ? [undefined] : brands).flatMap(
        (brandId) => devicesByParts(query, text, brandId) ?? [],
      )
      const [{ has } = {}] = found
      if (!has) return undefined
      const serials = found.map(({ from }) => ({ from, condition: all([]) }))
      if (text.length < KEY_BEGINNING) return serials
      const without = (part: Part, ...found: readonly Condition[]): Part => ({
        ...part,
        condition: all([part.condition, ...found.map((each) => sql<boolean>`not ${each}`)]),
      })
      const keys = keysFrom(text, query, brands).map((part) => without(part, has))
      const ids = isDeviceId(text) ? (equal('device.id', text, brands) ?? []) : []
      const hasKey = startsWith(query, 'device.device_key_id', text)
      return [...serials, ...keys, ...ids.map((part) => without(part, has, hasKey))]
    },
  },
  // Index device_activity_address or device_activity_brand_address.
  address: {
    table: 'device_activity',
    parts: ({ addresses }, { query, brands }) =>
      addresses &&
      disjoint(addresses).flatMap((range) =>
        perBrand('device_activity', brands, {
          condition: isAtOne([range], query),
          order: sql`${byteOrder(query, 'device_activity.address_key')}, device_activity.device_id`,
        }),
      ),
  },
  // Index device_activity_evidence or device_activity_brand_evidence.
  evidence: {
    table: 'device_activity',
    parts: ({ evidence, evidenceKinds }, { brands, sort }) =>
      (evidence || evidenceKinds) && sort !== '-evidence'
        ? perBrand('device_activity', brands, {
            condition: sql`device_activity.evidence_at is not null`,
            order: sql`device_activity.evidence_at, device_activity.device_id`,
          })
        : undefined,
  },
  // Index device_quarantined or device_brand_quarantined.
  quarantined: {
    table: 'device',
    parts: ({ quarantined }, { brands }) =>
      quarantined
        ? perBrand('device', brands, {
            condition: sql`device.quarantined_at is not null`,
            order: sql`device.brand_id, device.id`,
          })
        : undefined,
  },
  // Index device_waiting, which begins with the brand.
  waiting: {
    table: 'device',
    parts: ({ statuses }, { brands }) =>
      brands !== 'all' && statuses?.every((status) => status === 'pending')
        ? perBrand('device', brands, {
            condition: sql`device.status = 'pending'`,
            order: sql`device.brand_id, device.id`,
          })
        : undefined,
  },
  // Index device_registered or device_brand_registered.
  registered: {
    table: 'device',
    parts: (filter, { brands, sort }) => {
      const conditions = registeredWithin(filter)
      if (conditions.length === 0 || sort.endsWith('registered')) return undefined
      const order = sql`device.registered_at, device.id`
      return perBrand('device', brands, { condition: all(conditions), order })
    },
  },
  // Index device_activity_seen or device_activity_brand_seen.
  seen: {
    table: 'device_activity',
    parts: (filter, { brands, sort }) => {
      const conditions = seenWithin(filter)
      if (conditions.length === 0 || sort.endsWith('seen')) return undefined
      const order = sql`device_activity.last_seen_at, device_activity.device_id`
      return perBrand('device_activity', brands, { condition: all(conditions), order })
    },
  },
  // Index device_model, or device_model_status. Of models that the caller may see.
  model: {
    table: 'device',
    parts: ({ models, statuses }, { brands }) => {
      const own = models?.filter(({ brandId }) => brands === 'all' || brands.includes(brandId))
      if (!own || own.length === 0) return undefined
      return unique(own.map(({ brandId, model }) => `${brandId}/${model}`)).flatMap((name) =>
        statuses
          ? unique(statuses).map((status) =>
              equalTo(['brand_id', 'model', 'status'], [...name.split('/'), status]),
            )
          : equalTo(['brand_id', 'model'], name.split('/')),
      )
    },
  },
  // Index device_status, which has the devices of all brands together.
  status: {
    table: 'device',
    parts: ({ statuses }, { brands }) =>
      brands === 'all' && statuses
        ? unique(statuses).map((status) => equalTo(['status'], [status]))
        : undefined,
  },
} as const satisfies Readonly<Record<string, Way>>

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)]

const ofBrands = (brands: Brands): readonly Condition[] =>
  brands === 'all' ? [] : [isOne('device.brand_id', brands)]

const equal = (column: string, value: string | undefined, brands: Brands): readonly Part[] | undefined =>
  value === undefined
    ? undefined
    : [{ condition: all([sql`${sql.ref(column)} = ${value}`, ...ofBrands(brands)]) }]

const perBrand = (table: Way['table'], brands: Brands, part: Part): readonly Part[] =>
  brands === 'all'
    ? [part]
    : brands.map((brandId) => ({
        ...part,
        condition: all([isOne(`${table}.brand_id`, [brandId]), part.condition]),
      }))

const serialsFrom = (text: string, query: Query, brands: Brands): readonly Part[] =>
  perBrand('device', brands, {
    condition: startsWith(query, 'device.serial', text),
    order: sql`${byteOrder(query, 'device.serial')}, device.id`,
  })

const keysFrom = (text: string, query: Query, brands: Brands): readonly Part[] => [
  {
    condition: all([startsWith(query, 'device.device_key_id', text), ...ofBrands(brands)]),
    order: sql`${byteOrder(query, 'device.device_key_id')}, device.id`,
  },
]

/** Greater than any id. */
const LAST_ID = 'z'

/** As ranges: of columns that are equal to something, a planner knows that they need not be sorted by. */
function equalTo(columns: readonly string[], values: readonly string[]): Part {
  const order = sql.join([...columns, 'id'].map((column) => sql.ref(`device.${column}`)))
  const end = (id: string) => sql`(${sql.join([...values, id])})`
  return { condition: sql`((${order}) >= ${end('')} and (${order}) <= ${end(LAST_ID)})`, order }
}

/** The same addresses, each once. */
function disjoint(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const merged: AddressRange[] = []
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = merged.at(-1)
    if (!before || before.last < range.first) merged.push(range)
    else if (before.last < range.last) merged[merged.length - 1] = { first: before.first, last: range.last }
  }
  return merged
}

/** What one index finds. */
export interface FewDevices {
  readonly table: Way['table']
  /** Without a row in common. */
  readonly parts: readonly Part[]
  /** Of a row. */
  readonly cost: number
  /** Try it after a page in order. */
  readonly isLast: boolean
}

/** Of one statement. */
const MOST_PARTS = 64

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
/** So does the row of the other table that belongs to it, and it has to be found. */
const LOOKED_UP = 4
/** A page in order was looked at before. */
const AFTERWARDS = 4
/** So do several rows of a table, for each. */
const HISTORY = 20

/** Of a window of the order's own index. */
export function costInOrder(
  { filter, sort }: { readonly filter: ListFilter; readonly sort: ListSort },
  query: Query,
): number {
  const { table, column } = orderOf(sort)
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  // A search may go on by its index.
  const half = filter.search === undefined ? 1 : 2
  return half * (column === 'registered_at' ? 1 : SCATTERED) * costOfOthers(others, filter)
}

function costOfFew(table: Way['table'], filter: ListFilter, sort: ListSort, query: Query): number {
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  const lookedUp = orderOf(sort).table === table ? 1 : LOOKED_UP
  return SCATTERED * Math.max(lookedUp, costOfOthers(others, filter))
}

function costOfOthers(others: readonly Condition[], filter: ListFilter): number {
  if (historyConditions(filter).length > 0) return HISTORY
  return others.length > 0 ? LOOKED_UP : 1
}

/** The indexes that a filter names, the narrowest first. */
export function waysOf(filter: ListFilter, { brands, sort }: Asked, query: Query): readonly FewDevices[] {
  return Object.values<Way>(WAYS).flatMap(({ table, isLast = false, parts: partsOf }) => {
    const parts = partsOf(filter, { query, brands, sort })
    if (!parts || parts.length > MOST_PARTS) return []
    const cost = costOfFew(table, filter, sort, query) * (isLast ? AFTERWARDS : 1)
    return { table, parts, cost, isLast }
  })
}

const FOUND = { value: 'text' } as const

/** Primary key. */
export const withIds = (found: readonly { readonly value: string }[], query: Query): Part => ({
  from: sql`${listed(query, 'found', FOUND, listOf(FOUND, found))}
    ${joinFew(query, 'device', sql`device.id = found.value`)}`,
  condition: all([]),
})

/** At most `most` rows of each part. */
export const fromFew = (
  { table, parts }: FewDevices,
  columns: RawBuilder<unknown>,
  most: number,
): RawBuilder<unknown> =>
  sql.join(
    parts.map(
      ({
        from,
        condition,
        order,
      }) => sql`select * from (select ${columns} from ${from ?? sql.table(table)} where ${condition}
        ${order ? sql`order by ${order}` : sql``} limit ${most}) as part`,
    ),
    sql` union all `,
  )
