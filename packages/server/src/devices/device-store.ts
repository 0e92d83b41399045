/** The register: the table `device`, and the serial assertions of its rows. */
import type { DeviceId } from '@ratafia/api'
import { type SelectQueryBuilder, sql } from 'kysely'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  type DeviceTable,
  fromInstant,
  type Schema,
  toInstant,
} from '../database/index.ts'
import { type DecisionStore, decisionStore } from './decision-store.ts'
import type { Device, DeviceStatus, SerialName } from './device.ts'
import { type SerialAssertionStore, serialAssertionStore } from './serial-assertion-store.ts'

/** Which devices to list, and how many at most. */
export interface DeviceFilter {
  readonly brandId?: string | undefined
  readonly model?: string | undefined
  readonly serial?: string | undefined
  readonly deviceKeyId?: string | undefined
  readonly status?: DeviceStatus | undefined
  readonly limit: number
}

export interface SerialUse {
  /** The active or revoked device with this serial. */
  readonly holder: Device | undefined
  /** The highest of its assertions, its holder and its former holders; undefined if it was never given. */
  readonly revision: number | undefined
}

export interface DeviceStore extends DecisionStore, SerialAssertionStore {
  findById(id: DeviceId): Promise<Device | undefined>
  /** The row of this key that is not superseded; else the newest. */
  findByKey(key: Pick<Device, 'brandId' | 'model' | 'deviceKeyId'>): Promise<Device | undefined>
  /** The active or revoked device with this serial. */
  findHolder(name: SerialName): Promise<Device | undefined>
  /** What was ever given under this serial: what a new revision of it has to follow. */
  findUse(name: SerialName): Promise<SerialUse>
  /** All rows of a serial: its holder, former holders and applicants. Newest first, at most 100. */
  findBySerial(name: SerialName): Promise<readonly Device[]>
  /** Newest first. */
  list(filter: DeviceFilter): Promise<readonly Device[]>
  /**
   * False, and nothing is stored, if the serial has another holder or the key has a row already. `request` is the
   * encoded serial-request of a pending device.
   */
  add(device: Device, request?: Uint8Array): Promise<boolean>
  /** The serial-request of a pending or rejected device. */
  findRequest(id: DeviceId): Promise<Uint8Array | undefined>
}

/** Index device_key; a key has one row that is not superseded, and few others. */
const selectByKey = compiledOnce((query, name: { brandId: string; model: string; deviceKeyId: string }) =>
  query
    .selectFrom('device')
    .selectAll()
    .where('device_key_id', '=', name.deviceKeyId)
    .where('brand_id', '=', name.brandId)
    .where('model', '=', name.model)
    .orderBy('id', 'desc')
    .limit(100),
)

export function deviceStore({ query }: Pick<Database, 'query'>): DeviceStore {
  const devices = () => query.selectFrom('device').selectAll()

  return {
    ...decisionStore({ query }),
    ...serialAssertionStore({ query }),

    async findById(id) {
      // Primary key.
      const row = await devices().where('id', '=', id).executeTakeFirst()
      return row && deviceOf(row)
    },

    async findByKey({ brandId, model, deviceKeyId }) {
      const { rows } = await selectByKey(query, { brandId, model, deviceKeyId })
      const row = rows.find(({ status }) => status !== 'superseded') ?? rows[0]
      return row && deviceOf(row)
    },

    async findHolder({ brandId, model, serial }) {
      // The unique index device_brand_id_model_serial_key.
      const row = await devices()
        .where((where) => where.and({ brand_id: brandId, model, serial }))
        .where('status', 'in', ['active', 'revoked'])
        .executeTakeFirst()
      return row && deviceOf(row)
    },

    async findUse({ brandId, model, serial }) {
      const named = sql`brand_id = ${brandId} and model = ${model} and serial = ${serial}`
      // The primary key of serial_assertion, device_serial, and the unique index device_brand_id_model_serial_key.
      // Devices that were imported may have a revision and no assertion.
      const { rows } = await sql<Nullable<DeviceTable> & { readonly highest: number | null }>`select * from (
          select max(revision) as highest from (
            select revision from ${sql.table('serial_assertion')} where ${named}
            union all
            select revision from (select revision from device where ${named} order by id desc limit 100) as newest
          ) as given
        ) as used
        left join device on ${named} and status in ('active', 'revoked')
      `.execute(query)
      const [row] = rows
      const holder = row && holderIn(row)
      return { holder, revision: row?.highest ?? undefined }
    },

    async findBySerial({ brandId, model, serial }) {
      // Index device_serial.
      const rows = await devices()
        .where((where) => where.and({ serial, brand_id: brandId, model }))
        .orderBy('id', 'desc')
        .limit(100)
        .execute()
      return rows.map(deviceOf)
    },

    async list({ limit, ...filter }) {
      // By device_serial, device_key, device_model_status, device_model, device_brand or device_status, all in the
      // order of the list; else by the primary key.
      const rows = await filtered(devices(), filter).orderBy('id', 'desc').limit(limit).execute()
      return rows.map(deviceOf)
    },

    async add(device, request) {
      const result = await query
        .insertInto('device')
        .values({ ...rowOf(device), request: request ?? null })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async findRequest(id) {
      // Primary key.
      const row = await query.selectFrom('device').select('request').where('id', '=', id).executeTakeFirst()
      return row?.request ?? undefined
    },
  }
}

/** The devices that fit the filter. */
export function filtered<Row>(
  select: SelectQueryBuilder<Schema, 'device', Row>,
  { brandId, model, serial, deviceKeyId, status }: Omit<DeviceFilter, 'limit'>,
): SelectQueryBuilder<Schema, 'device', Row> {
  let fitting = select
  if (brandId !== undefined) fitting = fitting.where('brand_id', '=', brandId)
  if (model !== undefined) fitting = fitting.where('model', '=', model)
  if (serial !== undefined) fitting = fitting.where('serial', '=', serial)
  if (deviceKeyId !== undefined) fitting = fitting.where('device_key_id', '=', deviceKeyId)
  if (status !== undefined) fitting = fitting.where('status', '=', status)
  return fitting
}

/** Without what only a waiting device has, and what is not known of a device when it is stored. */
export function rowOf(
  device: Device,
): Omit<
  DeviceTable,
  'request' | 'last_session_at' | 'waits_in_narrow' | 'waits_in_middle' | 'waits_in_wide'
> {
  return {
    id: device.id,
    brand_id: device.brandId,
    model: device.model,
    serial: device.serial,
    device_key_id: device.deviceKeyId,
    status: device.status,
    revision: device.revision,
    origin: device.origin,
    original: device.original,
    registered_at: toInstant(device.registeredAt),
    decided_at: device.decidedAt && toInstant(device.decidedAt),
    decided_by: device.decidedBy,
    reason: device.reason,
    quarantined_at: device.quarantinedAt && toInstant(device.quarantinedAt),
    removed_at: device.removedAt ? toInstant(device.removedAt) : null,
  }
}

/** A row of an outer join: all of its columns are null if there is none. */
export type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

const holderIn = (row: Nullable<DeviceTable>): Device | undefined =>
  row.id === null ? undefined : deviceOf(row as DeviceTable)

export function deviceOf(row: DeviceTable): Device {
  return {
    // Only newDeviceId and checked imports fill the column.
    id: row.id as DeviceId,
    brandId: row.brand_id,
    model: row.model,
    serial: row.serial,
    deviceKeyId: row.device_key_id,
    status: row.status,
    revision: row.revision,
    origin: row.origin,
    original: row.original,
    registeredAt: fromInstant(row.registered_at),
    decidedAt: fromInstant(row.decided_at),
    decidedBy: row.decided_by,
    reason: row.reason,
    quarantinedAt: fromInstant(row.quarantined_at),
    ...(row.removed_at === null ? {} : { removedAt: fromInstant(row.removed_at) }),
  }
}
