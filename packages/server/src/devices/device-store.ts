/** The register: the table `device`, and the serial assertions of its rows. */
import type { DeviceId } from '@ratafia/api'
import { type SelectQueryBuilder, sql } from 'kysely'
import {
  anyRowChanged,
  type Database,
  type DeviceTable,
  isUniqueViolation,
  type Schema,
  toInstant,
} from '../database/index.ts'
import type { Device, DeviceStatus, SerialName } from './device.ts'
import { deviceOf, type Nullable, optionalDevice, rowOf, WAITS_NOWHERE } from './device-row.ts'
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

export interface Decision {
  readonly at: Date
  readonly by: string
  readonly reason: string | null
}

export interface SerialUse {
  /** The active or revoked device with this serial. */
  readonly holder: Device | undefined
  /** The highest of its assertions, its holder and its former holders; undefined if it was never given. */
  readonly revision: number | undefined
}

export interface DeviceStore extends SerialAssertionStore {
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
  /**
   * Gives a serial to a pending or rejected device. False if its status has changed since it was found. Also false if
   * the serial has another holder: the statement failed, so the transaction must end.
   */
  activate(
    found: { readonly id: DeviceId; readonly status: 'pending' | 'rejected' },
    serial: string,
    revision: number,
    decision: Decision,
  ): Promise<boolean>
  /** False if it is not pending. */
  reject(id: DeviceId, decision: Decision): Promise<boolean>
  /**
   * Frees the serial for another key within the same transaction. False if the device is not active, or in quarantine:
   * then it keeps its serial.
   */
  supersede(id: DeviceId, decision: Decision): Promise<boolean>
  /** False if it is not active. */
  revoke(id: DeviceId, decision: Decision): Promise<boolean>
  /** Null ends a quarantine. False if nothing changes. Only an active device goes into quarantine. */
  setQuarantine(id: DeviceId, at: Date | null): Promise<boolean>
  /** The revision of its newest assertion. False if it has this or a higher one already, or is not active. */
  setRevision(id: DeviceId, revision: number): Promise<boolean>
}

export function deviceStore({ query }: Pick<Database, 'query'>): DeviceStore {
  const devices = () => query.selectFrom('device').selectAll()

  /** By the primary key. */
  const update = (id: DeviceId, columns: Partial<DeviceTable>) =>
    query.updateTable('device').set(columns).where('id', '=', id)

  /** False when the device does not have this status. */
  const decide = async (id: DeviceId, from: DeviceStatus, columns: Partial<DeviceTable>) =>
    anyRowChanged(await update(id, columns).where('status', '=', from).executeTakeFirst())

  return {
    ...serialAssertionStore({ query }),

    async findById(id) {
      // Primary key.
      const row = await devices().where('id', '=', id).executeTakeFirst()
      return row && deviceOf(row)
    },

    async findByKey({ brandId, model, deviceKeyId }) {
      // Index device_key; a key has one row that is not superseded, and few others.
      const rows = await devices()
        .where((where) => where.and({ device_key_id: deviceKeyId, brand_id: brandId, model }))
        .orderBy('id', 'desc')
        .limit(100)
        .execute()
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
      const holder = row && optionalDevice(row)
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

    async activate({ id, status }, serial, revision, decision) {
      const decided = columnsOf(decision)
      try {
        return await decide(id, status, {
          serial,
          revision,
          status: 'active',
          request: null,
          ...WAITS_NOWHERE,
          ...decided,
        })
      } catch (error) {
        if (isUniqueViolation(error, 'device.brand_id_model_serial')) return false
        throw error
      }
    },

    reject: (id, decision) =>
      decide(id, 'pending', { status: 'rejected', ...WAITS_NOWHERE, ...columnsOf(decision) }),

    async supersede(id, decision) {
      const result = await update(id, { status: 'superseded', ...columnsOf(decision) })
        .where('status', '=', 'active')
        .where('quarantined_at', 'is', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    revoke: (id, decision) => decide(id, 'active', { status: 'revoked', ...columnsOf(decision) }),

    async setQuarantine(id, at) {
      const changed = update(id, { quarantined_at: at && toInstant(at) })
      const result = await (at
        ? changed.where('quarantined_at', 'is', null).where('status', '=', 'active')
        : changed.where('quarantined_at', 'is not', null)
      ).executeTakeFirst()
      return anyRowChanged(result)
    },

    async setRevision(id, revision) {
      const result = await update(id, { revision })
        .where('status', '=', 'active')
        .where((where) => where.or([where('revision', 'is', null), where('revision', '<', revision)]))
        .executeTakeFirst()
      return anyRowChanged(result)
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

const columnsOf = ({ at, by, reason }: Decision) => ({ decided_at: toInstant(at), decided_by: by, reason })
