/** Indexes that find the few devices that some filters select (contract/administration.md, A8). */
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

/** The ids of brands, or all brands. */
export type Brands = readonly string[] | 'all'

/** Consecutive rows of an index. */
interface Part {
  /** The source of the rows; undefined for the table. */
  readonly from?: RawBuilder<unknown>
  readonly condition: Condition
  /**
   * The columns of the index, so that no other plan is as good. A planner that hopes to find enough rows soon would
   * read the table, and all of it if they are at its end. Absent where the condition finds only a few rows.
   */
  readonly order?: RawBuilder<unknown>
}

interface Way {
  readonly table: 'device' | 'device_activity'
  /** Set where a large part of the register can match; a page in list order then finds enough at once. */
  readonly isLast?: true
  /** Undefined if the filter has no condition on this index, or the order uses the same index. */
  readonly parts: (
    filter: ListFilter,
    of: { readonly query: Query; readonly brands: Brands; readonly sort: ListSort },
  ) => readonly Part[] | undefined
}

const WAYS = {
  // Uses the primary key.
  id: { table: 'device', parts: ({ id }, { brands }) => equal('device.id', id, brands) },
  // Uses the index device_serial.
  serial: { table: 'device', parts: ({ serial }, { brands }) => equal('device.serial', serial, brands) },
  // Uses the index device_key.
  key: {
    table: 'device',
    parts: ({ deviceKeyId: key }, { brands }) => equal('device.device_key_id', key, brands),
  },
  // Uses the index device_serial_bytes or device_brand_serial.
  'serial-prefix': {
    table: 'device',
    parts: ({ serialPrefix: text }, { query, brands }) =>
      text === undefined ? undefined : serialsFrom(text, query, brands),
  },
  // Uses the index device_key_bytes.
  'key-prefix': {
    table: 'device',
    parts: ({ keyPrefix: text }, { query, brands }) =>
      text === undefined ? undefined : keysFrom(text, query, brands),
  },
  // Uses the index device_serial_parts, or the table searched_serial; for a long text, also the index
  // device_key_bytes and the primary key.
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
  // Uses the index device_activity_address or device_activity_brand_address.
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
  // Uses the index device_activity_evidence or device_activity_brand_evidence.
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
  // Uses the index device_quarantined or device_brand_quarantined.
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
  // Uses the index device_waiting, which begins with the brand.
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
  // Uses the index device_registered or device_brand_registered.
  registered: {
    table: 'device',
    parts: (filter, { brands, sort }) => {
      const conditions = registeredWithin(filter)
      if (conditions.length === 0 || sort.endsWith('registered')) return undefined
      const order = sql`device.registered_at, device.id`
      return perBrand('device', brands, { condition: all(conditions), order })
    },
  },
  // Uses the index device_activity_seen or device_activity_brand_seen.
  seen: {
    table: 'device_activity',
    parts: (filter, { brands, sort }) => {
      const conditions = seenWithin(filter)
      if (conditions.length === 0 || sort.endsWith('seen')) return undefined
      const order = sql`device_activity.last_seen_at, device_activity.device_id`
      return perBrand('device_activity', brands, { condition: all(conditions), order })
    },
  },
  // Uses the index device_model, or device_model_status, for models that the caller can see.
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
  // Uses the index device_status, which doesn't separate brands.
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

/** Returns the part as a range: a planner leaves out of the sort any column that is compared with `=`. */
function equalTo(columns: readonly string[], values: readonly string[]): Part {
  const order = sql.join([...columns, 'id'].map((column) => sql.ref(`device.${column}`)))
  const end = (id: string) => sql`(${sql.join([...values, id])})`
  return { condition: sql`((${order}) >= ${end('')} and (${order}) <= ${end(LAST_ID)})`, order }
}

/** Merges overlapping ranges, so that each address is included once. */
function disjoint(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const merged: AddressRange[] = []
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = merged.at(-1)
    if (!before || before.last < range.first) merged.push(range)
    else if (before.last < range.last) merged[merged.length - 1] = { first: before.first, last: range.last }
  }
  return merged
}

/** The devices that one index finds. */
export interface FewDevices {
  readonly table: Way['table']
  /** Parts have no rows in common. */
  readonly parts: readonly Part[]
  /** The cost of a row. */
  readonly cost: number
  /** Whether it is tried only after a page in list order. */
  readonly isLast: boolean
}

/** The limit for one statement. */
const MOST_PARTS = 64

interface Asked {
  readonly brands: Brands
  readonly sort: ListSort
}

/*
 * The relative costs of the rows that a list reads, so that every page needs about the same time. A row in
 * registration order costs 1: devices that registered together are stored together.
 */
/** The row can be anywhere on the disk. */
const SCATTERED = 2
/** The matching row of the other table can also be anywhere, and has to be found first. */
const LOOKED_UP = 4
/** A page in list order was read before. */
const AFTERWARDS = 4
/** Several rows of another table are read for each row, anywhere on the disk. */
const HISTORY = 20

/** Returns the cost of a row in a window of the order's own index. */
export function costInOrder(
  { filter, sort }: { readonly filter: ListFilter; readonly sort: ListSort },
  query: Query,
): number {
  const { table, column } = orderOf(sort)
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  // The listing may continue with the search's index.
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

/** Returns the indexes that a filter can use, narrowest first. */
export function waysOf(filter: ListFilter, { brands, sort }: Asked, query: Query): readonly FewDevices[] {
  return Object.values<Way>(WAYS).flatMap(({ table, isLast = false, parts: partsOf }) => {
    const parts = partsOf(filter, { query, brands, sort })
    if (!parts || parts.length > MOST_PARTS) return []
    const cost = costOfFew(table, filter, sort, query) * (isLast ? AFTERWARDS : 1)
    return { table, parts, cost, isLast }
  })
}

const FOUND = { value: 'text' } as const

/** Uses the primary key. */
export const withIds = (found: readonly { readonly value: string }[], query: Query): Part => ({
  from: sql`${listed(query, 'found', FOUND, listOf(FOUND, found))}
    ${joinFew(query, 'device', sql`device.id = found.value`)}`,
  condition: all([]),
})

/** Selects at most `most` rows of each part. */
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
