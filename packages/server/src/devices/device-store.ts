/** The register: the tables `device` and `serial_assertion`. */
import type { DeviceId } from '@ratafia/api'
import {
  anyRowChanged,
  type Database,
  type DeviceTable,
  fromInstant,
  isUniqueViolation,
  type SerialAssertionTable,
  toInstant,
} from '../database/index.ts'
import type { Device, DeviceStatus, SerialAssertion, SerialName } from './device.ts'

export interface DeviceKeyName {
  readonly brandId: string
  readonly model: string
  readonly deviceKeyId: string
}

/** What a list is limited to; always by number. */
export interface DeviceFilter {
  readonly brandId?: string | undefined
  readonly model?: string | undefined
  readonly serial?: string | undefined
  readonly deviceKeyId?: string | undefined
  readonly status?: DeviceStatus | undefined
  readonly quarantined?: boolean | undefined
  /** Only what was registered before this one: the end of the page before. */
  readonly before?: DeviceId | undefined
  readonly limit: number
}

export interface Decision {
  readonly at: Date
  readonly by: string
  readonly reason: string | null
}

export interface DeviceStore {
  findById(id: DeviceId): Promise<Device | undefined>
  /** The row of this key; where it was superseded and has no other, the newest such row. */
  findByKey(name: DeviceKeyName): Promise<Device | undefined>
  /** Whose serial it is: active or revoked. */
  findHolder(name: SerialName): Promise<Device | undefined>
  /** All rows of a serial: its holder, who had it, who asks for it. Newest first, at most 100. */
  findBySerial(name: SerialName): Promise<readonly Device[]>
  /** Newest first. Names its index by the filter; without one the limit bounds it. */
  list(filter: DeviceFilter): Promise<readonly Device[]>
  countPending(model: { readonly brandId: string; readonly model: string }): Promise<number>

  /**
   * False, and nothing is stored, when the serial has another holder or the key has a row already. `request` is the
   * encoded serial-request of one that waits.
   */
  add(device: Device, request?: Uint8Array): Promise<boolean>
  /** The serial-request of one that waits or was rejected. */
  findRequest(id: DeviceId): Promise<Uint8Array | undefined>
  /**
   * Gives a serial to one that waits, or was rejected if that is known. False when it is not as it was found any more,
   * or the serial has another holder: a transaction ends with that, because the statement failed.
   */
  activate(
    found: { readonly id: DeviceId; readonly status: 'pending' | 'rejected' },
    serial: string,
    revision: number,
    decision: Decision,
  ): Promise<boolean>
  /** False when it does not wait. */
  reject(id: DeviceId, decision: Decision): Promise<boolean>
  /**
   * The serial is free for another key within the same transaction. False when it is not active, or in quarantine: then
   * it keeps its serial.
   */
  supersede(id: DeviceId, decision: Decision): Promise<boolean>
  /** False when it is not active. */
  revoke(id: DeviceId, decision: Decision): Promise<boolean>
  /** False when nothing changes. Only one that is active comes into quarantine. */
  setQuarantine(id: DeviceId, at: Date | null): Promise<boolean>
  /** The revision of its newest assertion. False when it has this or a higher one already, or is not active. */
  setRevision(id: DeviceId, revision: number): Promise<boolean>

  /** False when there is one of this revision: it stays as it is. */
  addSerialAssertion(assertion: SerialAssertion, at: Date): Promise<boolean>
  /** The newest revision. */
  findSerialAssertion(name: SerialName): Promise<SerialAssertion | undefined>
  /** By revision. */
  serialAssertionsOf(id: DeviceId): Promise<readonly SerialAssertion[]>
}

export function deviceStore({ query }: Pick<Database, 'query'>): DeviceStore {
  /** One conditional update; false when no row was in one of these statuses. */
  const change = async (id: DeviceId, from: readonly DeviceStatus[], columns: Partial<DeviceTable>) => {
    // Primary key.
    const result = await query
      .updateTable('device')
      .set(columns)
      .where('id', '=', id)
      .where('status', 'in', from)
      .executeTakeFirst()
    return anyRowChanged(result)
  }

  return {
    async findById(id) {
      // Primary key.
      const row = await query.selectFrom('device').selectAll().where('id', '=', id).executeTakeFirst()
      return row && deviceOf(row)
    },

    async findByKey({ brandId, model, deviceKeyId }) {
      // Index device_key; a key has one row that is not superseded, and few others.
      const rows = await query
        .selectFrom('device')
        .selectAll()
        .where('device_key_id', '=', deviceKeyId)
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .orderBy('id', 'desc')
        .limit(100)
        .execute()
      const row = rows.find(({ status }) => status !== 'superseded') ?? rows[0]
      return row && deviceOf(row)
    },

    async findHolder({ brandId, model, serial }) {
      // The unique index device_brand_id_model_serial_key.
      const row = await query
        .selectFrom('device')
        .selectAll()
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .where('serial', '=', serial)
        .where('status', 'in', ['active', 'revoked'])
        .executeTakeFirst()
      return row && deviceOf(row)
    },

    async findBySerial({ brandId, model, serial }) {
      // Index device_serial.
      const rows = await query
        .selectFrom('device')
        .selectAll()
        .where('serial', '=', serial)
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .orderBy('id', 'desc')
        .limit(100)
        .execute()
      return rows.map(deviceOf)
    },

    async list({ brandId, model, serial, deviceKeyId, status, quarantined, before, limit }) {
      // By device_serial, device_key, device_model_status, device_model, device_brand or device_status, all in the
      // order of the list; else the primary key. Those in quarantine are few, and looked through: by
      // device_quarantined, which a planner that knows nothing of the numbers would not take for its own good.
      let select = quarantined
        ? query
            .with(
              (name) => name('quarantined').materialized(),
              (table) => table.selectFrom('device').selectAll().where('quarantined_at', 'is not', null),
            )
            .selectFrom('quarantined as device')
            .selectAll()
        : query.selectFrom('device').selectAll()
      if (quarantined === false) select = select.where('quarantined_at', 'is', null)
      if (brandId !== undefined) select = select.where('brand_id', '=', brandId)
      if (model !== undefined) select = select.where('model', '=', model)
      if (serial !== undefined) select = select.where('serial', '=', serial)
      if (deviceKeyId !== undefined) select = select.where('device_key_id', '=', deviceKeyId)
      if (status !== undefined) select = select.where('status', '=', status)
      if (before !== undefined) select = select.where('id', '<', before)
      const rows = await select.orderBy('id', 'desc').limit(limit).execute()
      return rows.map(deviceOf)
    },

    async countPending({ brandId, model }) {
      // Index device_model_status.
      const { count } = await query
        .selectFrom('device')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .where('status', '=', 'pending')
        .executeTakeFirstOrThrow()
      return Number(count)
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
        return await change(id, [status], { serial, revision, status: 'active', request: null, ...decided })
      } catch (error) {
        if (isUniqueViolation(error, 'device.brand_id_model_serial')) return false
        throw error
      }
    },

    reject: (id, decision) => change(id, ['pending'], { status: 'rejected', ...columnsOf(decision) }),

    async supersede(id, decision) {
      // Primary key.
      const result = await query
        .updateTable('device')
        .set({ status: 'superseded', ...columnsOf(decision) })
        .where('id', '=', id)
        .where('status', '=', 'active')
        .where('quarantined_at', 'is', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    revoke: (id, decision) => change(id, ['active'], { status: 'revoked', ...columnsOf(decision) }),

    async setQuarantine(id, at) {
      // Primary key.
      let update = query
        .updateTable('device')
        .set({ quarantined_at: at && toInstant(at) })
        .where('id', '=', id)
        .where('quarantined_at', at ? 'is' : 'is not', null)
      if (at) update = update.where('status', '=', 'active')
      const result = await update.executeTakeFirst()
      return anyRowChanged(result)
    },

    async setRevision(id, revision) {
      // Primary key.
      const result = await query
        .updateTable('device')
        .set({ revision })
        .where('id', '=', id)
        .where('status', '=', 'active')
        .where((where) => where.or([where('revision', 'is', null), where('revision', '<', revision)]))
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async addSerialAssertion(assertion, at) {
      const result = await query
        .insertInto('serial_assertion')
        .values(assertionRow(assertion, at))
        .onConflict((conflict) => conflict.columns(['brand_id', 'model', 'serial', 'revision']).doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async findSerialAssertion({ brandId, model, serial }) {
      // The primary key begins with these.
      const row = await query
        .selectFrom('serial_assertion')
        .selectAll()
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .where('serial', '=', serial)
        .orderBy('revision', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && assertionOf(row)
    },

    async serialAssertionsOf(id) {
      // Index serial_assertion_device.
      const rows = await query
        .selectFrom('serial_assertion')
        .selectAll()
        .where('device_id', '=', id)
        .orderBy('revision')
        .execute()
      return rows.map(assertionOf)
    },
  }
}

const columnsOf = ({ at, by, reason }: Decision) => ({
  decided_at: toInstant(at),
  decided_by: by,
  reason,
})

/** Without `request`. */
export function rowOf(device: Device): Omit<DeviceTable, 'request'> {
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
  }
}

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
  }
}

export const assertionRow = (assertion: SerialAssertion, at: Date): SerialAssertionTable => ({
  brand_id: assertion.brandId,
  model: assertion.model,
  serial: assertion.serial,
  revision: assertion.revision,
  device_id: assertion.deviceId,
  encoded: assertion.encoded,
  authority_id: assertion.authorityId,
  signing_key_id: assertion.signingKeyId,
  stored_at: toInstant(at),
})

export function assertionOf(row: SerialAssertionTable): SerialAssertion {
  return {
    brandId: row.brand_id,
    model: row.model,
    serial: row.serial,
    revision: row.revision,
    deviceId: row.device_id as DeviceId,
    encoded: row.encoded,
    authorityId: row.authority_id,
    signingKeyId: row.signing_key_id,
  }
}
