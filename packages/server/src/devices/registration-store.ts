/** Which request-id was used, for which request, and from where: the table `device_registration`. */
import type { DeviceId } from '@ratafia/api'
import { type Database, type DeviceRegistrationTable, fromInstant, toInstant } from '../database/index.ts'
import type { Caller } from './device.ts'

export interface Registration {
  /** SHA-256 of the request-id. */
  readonly requestIdHash: Uint8Array
  readonly deviceId: DeviceId
  /** SHA-256 of the content of the serial-request: one that is signed again is the same request. */
  readonly requestHash: Uint8Array
  readonly at: Date
  readonly caller: Caller
}

export interface RegistrationStore {
  find(requestIdHash: Uint8Array): Promise<Registration | undefined>
  /** False, and nothing is stored, when the request-id was used: that it works once is this row's key. */
  add(registration: Registration): Promise<boolean>
  /** Newest first, at most `limit`. */
  ofDevice(id: DeviceId, limit: number): Promise<readonly Registration[]>
}

export function registrationStore({ query }: Pick<Database, 'query'>): RegistrationStore {
  return {
    async find(requestIdHash) {
      // Primary key.
      const row = await query
        .selectFrom('device_registration')
        .selectAll()
        .where('request_id_hash', '=', requestIdHash)
        .executeTakeFirst()
      return row && registrationOf(row)
    },

    async add({ requestIdHash, deviceId, requestHash, at, caller }) {
      const { numInsertedOrUpdatedRows } = await query
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
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
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
      return rows.map(registrationOf)
    },
  }
}

const registrationOf = (row: DeviceRegistrationTable): Registration => ({
  requestIdHash: row.request_id_hash,
  // It refers to the id of a device.
  deviceId: row.device_id as DeviceId,
  requestHash: row.request_hash,
  at: fromInstant(row.registered_at),
  caller: { address: row.address, userAgent: row.user_agent },
})
