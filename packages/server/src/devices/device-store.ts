/** The register: the table `device`, and the serial assertions of its devices. */
import type { DeviceId } from '@ratafia/api'
import { type SelectQueryBuilder, sql } from 'kysely'
import { bucketOf } from '../bucket.ts'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  type DeviceTable,
  fromInstant,
  rowLock,
  type Schema,
  toInstant,
  type Values,
} from '../database/index.ts'
import { type DecisionStore, decisionStore } from './decision-store.ts'
import type { Device, DeviceRef, DeviceStatus, SerialName } from './device.ts'
import { type SerialAssertionStore, serialAssertionStore } from './serials/serial-assertion-store.ts'
import { hasSerial, serialHolderStore } from './serials/serial-holder-store.ts'

/** The devices to list, and how many at most. */
interface DeviceFilter {
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
  /** The highest revision given under it; undefined if there is none. */
  readonly revision: number | undefined
}

export interface DeviceStore extends DecisionStore, SerialAssertionStore {
  find(device: DeviceRef): Promise<Device | undefined>
  /** Locks the device in a transaction: no other transaction changes it until this one ends. */
  lock(device: DeviceRef): Promise<Device | undefined>
  /** Finds devices for operators: searches every shard. */
  findById(id: DeviceId): Promise<Device | undefined>
  /** Returns the device of this key that is not superseded; otherwise the newest. */
  findByKey(key: Pick<Device, 'brandId' | 'model' | 'deviceKeyId'>): Promise<Device | undefined>
  /** Returns the active or revoked device with this serial. */
  findHolder(name: SerialName): Promise<Device | undefined>
  /** Returns everything given under this serial, which a new revision has to follow. */
  findUse(name: SerialName): Promise<SerialUse>
  /** Returns the holder, former holders and applicants of a serial, newest first, at most 100. For operators. */
  findBySerial(name: SerialName): Promise<readonly Device[]>
  /** Newest first. For operators. */
  list(filter: DeviceFilter): Promise<readonly Device[]>
  /**
   * Adds a device, with its serial if its status implies one. Returns false if the serial has another holder
   * or the key already has a row; the transaction must then be rolled back. A registration gives a new
   * revision, so it also returns false if an equal or higher revision was given before. `request` is the
   * encoded serial-request of a pending device.
   */
  add(device: Device, request?: Uint8Array): Promise<boolean>
  /** Returns the serial-request of a pending or rejected device. */
  findRequest(device: DeviceRef): Promise<Uint8Array | undefined>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly devices: DeviceStore
  }
}

type KeyName = Pick<Device, 'brandId' | 'model' | 'deviceKeyId'>

/**
 * Selects the devices of a model from the few rows that another condition finds. These are expressions, so
 * that no index matches: for a model that its statistics don't include yet, PostgreSQL expects no rows, and
 * would read all of the model's devices through device_model.
 */
const isOf = ({ brandId, model }: Pick<Device, 'brandId' | 'model'>) =>
  sql<boolean>`(brand_id || '' = ${brandId} and model || '' = ${model})`

/** Uses the index device_key. A key has one row per model that is not superseded, and few others. */
const selectByKey = compiledOnce((query, name: KeyName & { bucket: number }) =>
  query
    .selectFrom('device')
    .selectAll()
    .where('bucket', '=', name.bucket)
    .where('device_key_id', '=', name.deviceKeyId)
    .where(isOf(name))
    .orderBy('id', 'desc')
    .limit(100),
)

/** How often to look for the holder of a serial that moves between devices. Constraints decide in any case. */
const LOOKS = 5

/** Uses the primary key. */
const selectOne = compiledOnce((query, { id, bucket }: DeviceRef & Values) =>
  query.selectFrom('device').selectAll().where('id', '=', id).where('bucket', '=', bucket),
)

export function deviceStore({ query }: Pick<Database, 'query'>): DeviceStore {
  const devices = () => query.selectFrom('device').selectAll()
  const serials = serialHolderStore({ query })

  const find = async ({ id, bucket }: DeviceRef) => {
    const [row] = (await selectOne(query, { id, bucket })).rows
    return row && deviceOf(row)
  }

  const findUse = async (name: SerialName): Promise<SerialUse> => {
    for (let again = LOOKS; ; again--) {
      const given = await serials.find(name)
      const device = given?.holder && (await find(given.holder))
      const holder = device && hasSerial(device) ? device : undefined
      // The device may have lost the serial to another between the two statements.
      if (!given?.holder || holder || again === 1) return { holder, revision: given?.revision }
    }
  }

  return {
    ...decisionStore({ query }),
    ...serialAssertionStore({ query }),

    find,

    // Uses the primary key.
    async lock({ id, bucket }) {
      const row = await devices()
        .where('id', '=', id)
        .where('bucket', '=', bucket)
        .modifyEnd(rowLock(query, 'no key update'))
        .executeTakeFirst()
      return row && deviceOf(row)
    },

    async findById(id) {
      // The primary key begins with the id.
      const row = await devices().where('id', '=', id).executeTakeFirst()
      return row && deviceOf(row)
    },

    async findByKey({ brandId, model, deviceKeyId }) {
      const bucket = bucketOf(deviceKeyId)
      const { rows } = await selectByKey(query, { brandId, model, deviceKeyId, bucket })
      const row = rows.find(({ status }) => status !== 'superseded') ?? rows[0]
      return row && deviceOf(row)
    },

    findHolder: async (name) => (await findUse(name)).holder,
    findUse,

    async findBySerial(name) {
      // Uses the index device_serial.
      const rows = await devices()
        .where('serial', '=', name.serial)
        .where(isOf(name))
        .orderBy('id', 'desc')
        .limit(100)
        .execute()
      return rows.map(deviceOf)
    },

    async list({ limit, ...filter }) {
      // Uses device_serial, device_key, device_model_status, device_model, device_brand or device_status,
      // which all have the order of the list; otherwise the primary key.
      const rows = await filtered(devices(), filter).orderBy('id', 'desc').limit(limit).execute()
      return rows.map(deviceOf)
    },

    async add(device, request) {
      const revision = device.origin === 'registration' ? 'new' : 'known'
      if (hasSerial(device) && !(await serials.claim(device, revision))) return false
      const result = await query
        .insertInto('device')
        .values({ ...rowOf(device), request: request ?? null })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async findRequest({ id, bucket }) {
      // Uses the primary key.
      const row = await query
        .selectFrom('device')
        .select('request')
        .where((where) => where.and({ id, bucket }))
        .executeTakeFirst()
      return row?.request ?? undefined
    },
  }
}

/** Adds the conditions of the filter. */
function filtered<Row>(
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

/** Returns the row without the columns of a waiting device, and without those unknown when a device is stored. */
export function rowOf(
  device: Device,
): Omit<
  DeviceTable,
  'request' | 'last_session_at' | 'waits_in_narrow' | 'waits_in_middle' | 'waits_in_wide'
> {
  return {
    id: device.id,
    bucket: device.bucket,
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

export function deviceOf(row: DeviceTable): Device {
  return {
    // Only newDeviceId and checked imports fill the column.
    id: row.id as DeviceId,
    bucket: row.bucket,
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
