/** Lists of the register: each statement looks at a bounded number of rows of one index. */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import {
  byteOrder,
  type Database,
  type DeviceTable,
  fromInstant,
  type Schema,
  toInstant,
} from '../../database/index.ts'
import type { Device } from '../device.ts'
import { deviceOf } from '../device-store.ts'
import type { ListFilter, ListPosition, ListSort } from './list-filter.ts'

/** Part of a list: rows of one brand, or of all, in its order behind a position. */
export interface Stretch {
  readonly sort: ListSort
  /** Undefined: of all brands. */
  readonly brandId: string | undefined
  readonly after: ListPosition | undefined
  readonly filter: ListFilter
}

/** Few devices that an index finds; undefined if a filter finds none by an index. */
export type Few =
  | 'id'
  | 'serial'
  | 'key'
  | 'serial-prefix'
  | 'key-prefix'
  | 'beginning'
  | 'quarantined'
  | 'waiting'

export interface ListStore {
  /** Those of the first `rows` of the stretch that fit, at most `limit`. */
  fitting(
    stretch: Stretch,
    bounds: { readonly rows: number; readonly limit: number },
  ): Promise<readonly Device[]>
  /** Where the first `rows` of the stretch end; undefined if it has fewer. */
  endOf(stretch: Stretch, rows: number): Promise<ListPosition | undefined>
  /** How many devices the index of `few` finds within the brands: at most `most` are counted. */
  countFew(few: Few, filter: ListFilter, brands: readonly string[] | 'all', most: number): Promise<number>
  /** Of the devices that the index of `few` finds, those that fit, sorted, behind a position. */
  fittingFew(
    few: Few,
    of: {
      readonly filter: ListFilter
      readonly brands: readonly string[] | 'all'
      readonly sort: ListSort
      readonly after: ListPosition | undefined
      readonly limit: number
    },
  ): Promise<readonly Device[]>
}

/** How long a text has to be to be the beginning of a key. */
const KEY_BEGINNING = 8

type Select<Row> = SelectQueryBuilder<Schema, 'device', Row>
type Query = Database['query']

/** Without the serial-request of those that wait. */
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
  'removed_at',
] as const

export function listStore({ query }: Pick<Database, 'query'>): ListStore {
  /** Index device_registered or device_serial_bytes; of a brand device_brand_registered or device_brand_serial. */
  const stretched = <Row>(select: Select<Row>, { sort, brandId, after, filter }: Stretch): Select<Row> => {
    let behind = brandId === undefined ? select : select.where('device.brand_id', '=', brandId)
    behind = sort === 'serial' ? withSerialRange(behind, filter, query) : withTimes(behind, filter)
    if (after) behind = behind.where(beyond(query, sort, after))
    return ordered(behind, sort, query)
  }

  return {
    async fitting(stretch, { rows, limit }) {
      // The inner limit bounds what is looked at; both databases stop once enough rows fit.
      const window = stretched(query.selectFrom('device').select(COLUMNS), stretch).limit(rows)
      const select = query.selectFrom(window.as('device')).selectAll() as unknown as Select<DeviceTable>
      const found = await fitted(select, stretch.filter, query).limit(limit).execute()
      return found.map(deviceOf)
    },

    async endOf(stretch, rows) {
      const row = await stretched(
        query.selectFrom('device').select(['id', 'serial', 'registered_at']),
        stretch,
      )
        .offset(rows - 1)
        .limit(1)
        .executeTakeFirst()
      if (!row) return undefined
      return {
        id: row.id,
        key: stretch.sort === 'serial' ? row.serial : fromInstant(row.registered_at).getTime(),
      }
    },

    async countFew(few, filter, brands, most) {
      const some = foundBy(few, within(query.selectFrom('device').select('device.id'), brands), filter, query)
      const { count } = await query
        .selectFrom(some.limit(most).as('some'))
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async fittingFew(few, { filter, brands, sort, after, limit }) {
      const some = foundBy(few, within(query.selectFrom('device').select(COLUMNS), brands), filter, query)
      // Read by the index that found them, whatever a planner thinks of the order.
      const base = query
        .with(
          (name) => name('few').materialized(),
          () => some,
        )
        .selectFrom('few as device')
        .selectAll() as unknown as Select<DeviceTable>
      let select = fitted(base, filter, query)
      if (after) select = select.where(beyond(query, sort, after))
      const rows = await ordered(select, sort, query).limit(limit).execute()
      return rows.map(deviceOf)
    },
  }
}

const within = <Row>(select: Select<Row>, brands: readonly string[] | 'all'): Select<Row> =>
  brands === 'all' ? select : select.where('device.brand_id', 'in', brands)

/** By what the index of each finds devices. */
function foundBy<Row>(few: Few, select: Select<Row>, filter: ListFilter, query: Query): Select<Row> {
  const { id = '', serial = '', deviceKeyId = '' } = filter
  switch (few) {
    case 'id':
      return select.where('device.id', '=', id)
    case 'serial':
      // Index device_serial.
      return select.where('device.serial', '=', serial)
    case 'key':
      // Index device_key.
      return select.where('device.device_key_id', '=', deviceKeyId)
    case 'serial-prefix':
      // Index device_serial_bytes.
      return select.where(startsWith(query, 'device.serial', filter.serialPrefix ?? ''))
    case 'key-prefix':
      // Index device_key_bytes.
      return select.where(startsWith(query, 'device.device_key_id', filter.keyPrefix ?? ''))
    case 'beginning':
      // Both of these indexes.
      return select.where(beginsWith(query, filter.beginning ?? ''))
    case 'quarantined':
      // Index device_quarantined.
      return select.where('device.quarantined_at', 'is not', null)
    case 'waiting':
      // Index device_status.
      return select.where('device.status', '=', 'pending')
  }
}

/** Row by row: all that the filter says. */
function fitted(select: Select<DeviceTable>, filter: ListFilter, query: Query): Select<DeviceTable> {
  const { id, serial, deviceKeyId, serialPrefix, keyPrefix, beginning, quarantined } = filter
  const { brands, models, statuses, origins, decidedBy } = filter
  let fitting = withTimes(select, filter)
  if (id !== undefined) fitting = fitting.where('device.id', '=', id)
  if (serial !== undefined) fitting = fitting.where('device.serial', '=', serial)
  if (deviceKeyId !== undefined) fitting = fitting.where('device.device_key_id', '=', deviceKeyId)
  if (serialPrefix !== undefined) fitting = fitting.where(startsWith(query, 'device.serial', serialPrefix))
  if (keyPrefix !== undefined) fitting = fitting.where(startsWith(query, 'device.device_key_id', keyPrefix))
  if (beginning !== undefined) fitting = fitting.where(beginsWith(query, beginning))
  if (quarantined !== undefined) {
    fitting = fitting.where('device.quarantined_at', quarantined ? 'is not' : 'is', null)
  }
  if (brands) fitting = fitting.where('device.brand_id', 'in', brands)
  if (models) {
    fitting = fitting.where((where) =>
      where.or(
        models.map(({ brandId, model }) =>
          where.and([where('device.brand_id', '=', brandId), where('device.model', '=', model)]),
        ),
      ),
    )
  }
  if (statuses) fitting = fitting.where('device.status', 'in', statuses)
  if (origins) fitting = fitting.where('device.origin', 'in', origins)
  if (decidedBy) fitting = fitting.where('device.decided_by', 'in', decidedBy)
  return fitting
}

function withTimes<Row>(select: Select<Row>, { registeredSince, registeredUntil }: ListFilter): Select<Row> {
  let within = select
  if (registeredSince) within = within.where('device.registered_at', '>=', toInstant(registeredSince))
  if (registeredUntil) within = within.where('device.registered_at', '<', toInstant(registeredUntil))
  return within
}

const withSerialRange = <Row>(
  select: Select<Row>,
  { serialPrefix }: ListFilter,
  query: Query,
): Select<Row> =>
  serialPrefix === undefined ? select : select.where(startsWith(query, 'device.serial', serialPrefix))

const sortKey = (query: Query, sort: ListSort): RawBuilder<unknown> =>
  sort === 'serial' ? byteOrder(query, 'device.serial') : sql`${sql.ref('device.registered_at')}`

const ordered = <Row>(select: Select<Row>, sort: ListSort, query: Query): Select<Row> => {
  const direction = sort === '-registered' ? 'desc' : 'asc'
  return select.orderBy(sortKey(query, sort), direction).orderBy('device.id', direction)
}

const beyond = (query: Query, sort: ListSort, { key, id }: ListPosition): RawBuilder<boolean> => {
  const than = sql.raw(sort === '-registered' ? '<' : '>')
  return sql<boolean>`(${sortKey(query, sort)}, ${sql.ref('device.id')}) ${than} (${key}, ${id})`
}

/** Greater than what follows the prefix in any text that we store: no assertion contains a noncharacter. */
const LAST = '\u{10ffff}'

const startsWith = (query: Query, column: string, prefix: string): RawBuilder<boolean> =>
  sql<boolean>`(${byteOrder(query, column)} >= ${prefix} and ${byteOrder(query, column)} < ${prefix + LAST})`

const beginsWith = (query: Query, text: string): RawBuilder<boolean> =>
  text.length < KEY_BEGINNING
    ? startsWith(query, 'device.serial', text)
    : sql<boolean>`(${startsWith(query, 'device.serial', text)} or ${startsWith(query, 'device.device_key_id', text)})`
