/** Which request-ids were used, for which requests, and from where: the table `device_registration`. */
import type { DeviceId } from '@ratafia/api'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  type DeviceRegistrationTable,
  fromInstant,
  isReferenceViolation,
  toInstant,
} from '../../database/index.ts'
import type { Caller } from '../device.ts'

export interface RegistrationRow {
  /** SHA-256 of the request-id. */
  readonly requestIdHash: Uint8Array
  readonly deviceId: DeviceId
  /** SHA-256 of the content of the serial-request, without the signature: signed again, it is the same request. */
  readonly requestHash: Uint8Array
  readonly at: Date
  readonly caller: Caller
}

export interface RegistrationStore {
  find(requestIdHash: Uint8Array): Promise<RegistrationRow | undefined>
  /**
   * False, and nothing is stored, if the request-id was used: the primary key makes it work once. Also false if the
   * device was removed meanwhile: the statement failed, so a transaction must end.
   */
  add(registration: RegistrationRow): Promise<boolean>
  /** Newest first, at most `limit`. */
  ofDevice(id: DeviceId, limit: number): Promise<readonly RegistrationRow[]>
  /** From where each of these devices asked last; those without a row are left out. At most 1,000 ids. */
  addressesOf(ids: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, string>>
  /**
   * Removes at most `limit` rows from before that instant, of devices that were decided before it too: a pending device
   * may still send the same request. Returns how many.
   */
  removeSettled(before: Date, limit: number): Promise<number>
}

/** Primary key. */
const selectByHash = compiledOnce((query, { requestIdHash }: { requestIdHash: Uint8Array }) =>
  query.selectFrom('device_registration').selectAll().where('request_id_hash', '=', requestIdHash),
)

export function registrationStore({ query }: Pick<Database, 'query'>): RegistrationStore {
  return {
    async find(requestIdHash) {
      const [row] = (await selectByHash(query, { requestIdHash })).rows
      return row && rowOf(row)
    },

    async add({ requestIdHash, deviceId, requestHash, at, caller }) {
      const insert = query
        .insertInto('device_registration')
        .values({
          request_id_hash: requestIdHash,
          device_id: deviceId,
          request_hash: requestHash,
          registered_at: toInstant(at),
          address: caller.address,
          user_agent: caller.userAgent,
        })
        .onConflict((conflict) => conflict.column('request_id_hash').doNothing())
      try {
        return anyRowChanged(await insert.executeTakeFirst())
      } catch (error) {
        if (isReferenceViolation(error)) return false
        throw error
      }
    },

    async ofDevice(id, limit) {
      // Index device_registration_device.
      const rows = await query
        .selectFrom('device_registration')
        .selectAll()
        .where('device_id', '=', id)
        .orderBy('registered_at', 'desc')
        .limit(limit)
        .execute()
      return rows.map(rowOf)
    },

    async addressesOf(ids) {
      if (ids.length === 0) return new Map()
      // Index device_registration_device.
      const rows = await query
        .selectFrom('device_registration')
        .select(['device_id', 'address'])
        .where('device_id', 'in', ids)
        .orderBy('registered_at')
        .execute()
      return new Map(rows.map((row) => [row.device_id as DeviceId, row.address]))
    },

    async removeSettled(before, limit) {
      const instant = toInstant(before)
      // Index device_registration_at, then the primary keys. Devices that wait are skipped: at most 10,000 of a model.
      const settled = query
        .selectFrom('device_registration')
        .innerJoin('device', 'device.id', 'device_registration.device_id')
        .select('request_id_hash')
        .where('device_registration.registered_at', '<', instant)
        .where('status', '<>', 'pending')
        .where((where) => where.or([where('decided_at', 'is', null), where('decided_at', '<', instant)]))
        .orderBy('device_registration.registered_at')
        .limit(limit)
      const { numDeletedRows } = await query
        .deleteFrom('device_registration')
        .where('request_id_hash', 'in', settled)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

const rowOf = (row: DeviceRegistrationTable): RegistrationRow => ({
  requestIdHash: row.request_id_hash,
  // The column refers to the id of a device.
  deviceId: row.device_id as DeviceId,
  requestHash: row.request_hash,
  at: fromInstant(row.registered_at),
  caller: { address: row.address, userAgent: row.user_agent },
})
