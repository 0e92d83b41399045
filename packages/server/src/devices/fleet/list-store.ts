/** Lists of the register. Each statement reads a bounded number of rows of one index. */
import { type RawBuilder, sql } from 'kysely'
import { type Database, type DeviceTable, joinOne } from '../../database/index.ts'
import { deviceOf } from '../device-store.ts'
import {
  activityConditions,
  all,
  type Condition,
  deviceConditions,
  isOne,
  lookedUpActivity,
  registeredWithin,
  seenWithin,
  serialWithin,
} from './list-condition-store.ts'
import type { ListFilter, ListPosition, ListSort, Placed } from './list-filter.ts'
import { behind, inOrder, orderOf, sortKeyIn } from './list-order-store.ts'
import { type Brands, costInOrder, type FewDevices, fromFew, waysOf, withIds } from './list-way-store.ts'

/** A part of a list: rows of one brand, or of all, after a position in the list's order. */
interface Stretch {
  readonly sort: ListSort
  /** The brand; undefined for all brands. */
  readonly brandId: string | undefined
  readonly after: ListPosition | undefined
  readonly filter: ListFilter
}

export interface ListStore {
  /** Returns the matching devices among the first `rows` of the stretch, at most `limit`. */
  fitting(
    stretch: Stretch,
    bounds: { readonly rows: number; readonly limit: number },
  ): Promise<readonly Placed[]>
  /** Returns the position of the last of the first `rows` of the stretch; undefined if it has fewer. */
  endOf(stretch: Stretch, rows: number): Promise<ListPosition | undefined>
  /** Returns the cost of a row of a stretch, relative to a row in registration order. */
  costInOrder(listing: Pick<Stretch, 'filter' | 'sort'>): number
  /** Returns the indexes that the filter can use, narrowest first. */
  waysOf(
    filter: ListFilter,
    asked: { readonly brands: Brands; readonly sort: ListSort },
  ): readonly FewDevices[]
  /** Returns a source of the same devices, or undefined if there are more than `most`. */
  fewOf(few: FewDevices, most: number): Promise<FewDevices | undefined>
  /** Returns the matching devices among those that the index finds, sorted, after a position. */
  fittingFew(
    few: FewDevices,
    of: {
      readonly filter: ListFilter
      readonly sort: ListSort
      readonly after: ListPosition | undefined
      readonly limit: number
      /** A higher limit than for counting, since more devices may match by now. */
      readonly most: number
    },
  ): Promise<readonly Placed[]>
}

declare module '../../stores.ts' {
  interface Stores {
    readonly deviceLists: ListStore
  }
}

/** The columns of a device, without the serial-request of a waiting one. */
const COLUMNS = [
  'id',
  'bucket',
  'brand_id',
  'model',
  'serial',
  'device_key_id',
  'status',
  'revision',
  'origin',
  'original',
  'registered_at',
  'decided_at',
  'decided_by',
  'reason',
  'quarantined_at',
  'last_session_at',
  'removed_at',
] as const

type Query = Database['query']
type Row = DeviceTable & { readonly sort_key: number | string }
interface Key {
  readonly id: string
  readonly sort_key: number | string
}

const OF_DEVICE = sql.join(COLUMNS.map((column) => sql.ref(`device.${column}`)))
/** The columns of an activity that filters and joins need. */
const OF_ACTIVITY = sql`device_id, bucket, last_seen_at, address_key, evidence_at`
const DEVICE_KEY = sql`device.id = device_activity.device_id and device.bucket = device_activity.bucket`

export function listStore({ query }: Pick<Database, 'query'>): ListStore {
  return {
    async fitting(stretch, { rows, limit }) {
      const { filter, sort } = stretch
      const ofDevice = deviceConditions(filter, query)
      // The inner limit bounds the rows that are read. Both databases stop once enough rows match, and keep the order.
      const statement =
        orderOf(sort).table === 'device'
          ? sql<Row>`select * from (${window(stretch, rows, query, OF_DEVICE)}) as device
              where ${all([...ofDevice, ...lookedUpActivity(filter, query)])} limit ${limit}`
          : sql<Row>`select ${OF_DEVICE}, device_activity.sort_key
              from (${window(stretch, rows, query, OF_ACTIVITY)}) as device_activity
              ${joinOne(query, 'device', DEVICE_KEY)}
              where ${all([...activityConditions(filter, query), ...ofDevice])} limit ${limit}`
      return (await statement.execute(query)).rows.map(placed)
    },

    async endOf(stretch, rows) {
      const { rows: ends } = await sql<Key>`${window(stretch, 1, query)} offset ${rows - 1}`.execute(query)
      const [end] = ends
      return end && { id: end.id, key: keyOf(end) }
    },

    costInOrder: (listing) => costInOrder(listing, query),

    waysOf: (filter, asked) => waysOf(filter, asked, query),

    async fewOf(few, most) {
      const rows = (columns: RawBuilder<unknown>) =>
        sql`(${fromFew(few, columns, most + 1)}) as parts limit ${most + 1}`
      if (!few.isLast) {
        const { rows: counts } = await sql<{ count: number }>`
          select count(*) as count from (select 1 from ${rows(sql`1 as one`)}) as found`.execute(query)
        return Number(counts[0]?.count) > most ? undefined : few
      }
      // The ids are kept, because finding the devices by their parts again would take as long.
      const { rows: found } = await sql<{ value: string }>`
        select value from ${rows(sql`device.id as value`)}`.execute(query)
      return found.length > most ? undefined : { ...few, parts: [withIds(found, query)] }
    },

    async fittingFew(few, { filter, sort, after, limit, most }) {
      const key = sort === 'serial' ? sortKeyIn(query, sort, 'few') : sql`few.sort_key`
      const id = sql`few.id`
      // Materialised, so that the planner reads the index that found the devices, whatever the order costs.
      const { rows } = await sql<Row>`with few as materialized (
          ${(few.table === 'device' ? fewDevices : fewActivities)(few, { filter, sort, after, limit, most }, query)}
        )
        select * from few where ${all([
          sql`sort_key is not null`,
          ...(after ? [behind(sort, after, { key, id })] : []),
        ])}
        order by ${inOrder(sort, key, id)} limit ${limit}`.execute(query)
      return rows.map(placed)
    },
  }
}

interface Listing {
  readonly filter: ListFilter
  readonly sort: ListSort
  readonly after: ListPosition | undefined
  readonly limit: number
  readonly most: number
}

/** Selects the matching devices with their sort keys: null for a device that is not in the list. */
const fewDevices = (
  few: FewDevices,
  { filter, sort, most }: Pick<Listing, 'filter' | 'sort' | 'most'>,
  query: Query,
): RawBuilder<unknown> => {
  const { table, column } = orderOf(sort)
  const key =
    table === 'device'
      ? sql`${sql.ref(`device.${column}`)}`
      : // Uses the primary key.
        sql`(select ${sql.ref(column)} from device_activity
          where device_activity.device_id = device.id and device_activity.bucket = device.bucket)`
  const fits = [...deviceConditions(filter, query), ...lookedUpActivity(filter, query)]
  return sql`select ${OF_DEVICE}, ${key} as sort_key from (${fromFew(few, OF_DEVICE, most)}) as device
    where ${all(fits)}`
}

/** Does the same for an index of activities. Without conditions on devices, looks up only those of the page. */
function fewActivities(
  few: FewDevices,
  { filter, sort, after, limit, most }: Listing,
  query: Query,
): RawBuilder<unknown> {
  const { table, column } = orderOf(sort)
  const ofDevice = deviceConditions(filter, query)
  const ofActivity = activityConditions(filter, query)
  // Materialised for the same reason as `few`.
  const indexed = sql`with indexed as materialized (${fromFew(few, OF_ACTIVITY, most)})`
  if (table === 'device') {
    return sql`${indexed} select ${OF_DEVICE}, ${sql.ref(`device.${column}`)} as sort_key
      from indexed as device_activity ${joinOne(query, 'device', DEVICE_KEY)}
      where ${all([...ofActivity, ...ofDevice])}`
  }
  const key = sql`${sql.ref(`device_activity.${column}`)}`
  const id = sql`device_activity.device_id`
  const listed = [
    ...ofActivity,
    sql<boolean>`${key} is not null`,
    ...(after ? [behind(sort, after, { key, id })] : []),
  ]
  const page = ofDevice.length > 0 ? sql`` : sql`order by ${inOrder(sort, key, id)} limit ${limit}`
  return sql`${indexed} select ${OF_DEVICE}, device_activity.sort_key
    from (select device_id, bucket, ${key} as sort_key from indexed as device_activity
      where ${all(listed)} ${page}) as device_activity
    ${joinOne(query, 'device', DEVICE_KEY)} where ${all(ofDevice)}`
}

/** Selects `columns` (default: the id) and the sort key of the first `rows` of a stretch, by the order's indexes. */
function window(
  { sort, brandId, after, filter }: Stretch,
  rows: number,
  query: Query,
  columns?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { table } = orderOf(sort)
  const key = sortKeyIn(query, sort)
  const id = sql`${sql.ref(table === 'device' ? 'device.id' : 'device_activity.device_id')}`
  const conditions = [
    ...(brandId === undefined ? [] : [isOne(`${table}.brand_id`, [brandId])]),
    ...OWN[sort](filter, query),
    ...(after ? [behind(sort, after, { key, id })] : []),
  ]
  return sql`select ${columns ?? sql`${id} as id`}, ${key} as sort_key from ${sql.table(table)}
    where ${all(conditions)} order by ${inOrder(sort, key, id)} limit ${rows}`
}

type Own = (filter: ListFilter, query: Query) => readonly Condition[]
/** Excludes nulls, which PostgreSQL sorts first in this direction: stored times are later than 1970. */
const seen: Own = (filter) => [sql`device_activity.last_seen_at > 0`, ...seenWithin(filter)]

/** Conditions on the order's own column, which bound the window. */
const OWN: Readonly<Record<ListSort, Own>> = {
  '-registered': registeredWithin,
  registered: registeredWithin,
  serial: serialWithin,
  '-seen': seen,
  seen,
  '-evidence': () => [sql`device_activity.evidence_at is not null`],
}

const keyOf = ({ sort_key: key }: Pick<Key, 'sort_key'>): ListPosition['key'] => key

const placed = (row: Row): Placed => ({
  device: deviceOf(row),
  position: { key: keyOf(row), id: row.id },
})
