/** Removes the personal data of one device from the register, in all tables that refer to it. */
import {
  anyRowChanged,
  type Database,
  fromInstant,
  isReferenceViolation,
  toInstant,
} from '../../database/index.ts'
import type { Device, DeviceRef, DeviceStatus } from '../device.ts'

interface Removal {
  readonly at: Date
  readonly by: string
  /** Nonces and request-ids used since then must not be used again, so their rows stay. */
  readonly guardedSince: Date
}

export interface RemovalStore {
  /**
   * Keeps the serial number and the device key in the row, so that no other device gets them. Rows that stay
   * because of `guardedSince` lose the device's address. Returns false if the device is neither revoked nor
   * superseded, or was already removed. Runs in a transaction.
   */
  clear(device: DeviceRef & Pick<Device, 'deviceKeyId'>, removal: Removal): Promise<boolean>
  /**
   * Removes a device that never had a serial, with its row. Returns false if its status has changed, or if it
   * sent a request since `guardedSince`; the failed statement then forces the transaction to be rolled back.
   * Runs in a transaction.
   */
  remove(
    device: DeviceRef & Pick<Device, 'status' | 'deviceKeyId'>,
    removal: Pick<Removal, 'guardedSince'>,
  ): Promise<boolean>
  /** Returns the time when the device last used a request-id. */
  lastRequest(device: DeviceRef): Promise<Date | undefined>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly removals: RemovalStore
  }
}

const CLEARED: readonly DeviceStatus[] = ['revoked', 'superseded']

export function removalStore({ query }: Pick<Database, 'query'>): RemovalStore {
  const NOWHERE = { address: '', user_agent: '' }

  /** Evidence about other devices with this key contains addresses. Reads the whole table, which has few rows. */
  const forgetSightings = (deviceKeyId: string) =>
    query
      .updateTable('clone_evidence')
      .set({ details: '{}' })
      .where((where) => where.and({ kind: 'second-key', subject: deviceKeyId }))
      .execute()

  /** Uses the index device_registration_device. */
  const forgetRegistrations = ({ id, bucket }: DeviceRef, before: Date) =>
    query
      .deleteFrom('device_registration')
      .where((where) => where.and({ device_id: id, bucket }))
      .where('registered_at', '<', toInstant(before))
      .execute()

  return {
    async clear({ id, bucket, deviceKeyId }, { at, by, guardedSince }) {
      // Uses the primary key.
      const cleared = await query
        .updateTable('device')
        .set({
          original: null,
          decided_by: by,
          reason: null,
          quarantined_at: null,
          last_session_at: null,
          removed_at: toInstant(at),
        })
        .where((where) => where.and({ id, bucket }))
        .where('status', 'in', CLEARED)
        .where('removed_at', 'is', null)
        .executeTakeFirst()
      if (!anyRowChanged(cleared)) return false
      // Uses the indexes serial_assertion_device, device_session_device and device_registration_device; the
      // primary key of clone_evidence begins with the device.
      const own = { device_id: id, bucket }
      await query
        .deleteFrom('serial_assertion')
        .where((where) => where.and(own))
        .execute()
      await query
        .deleteFrom('clone_evidence')
        .where((where) => where.and(own))
        .execute()
      // Uses the primary key.
      await query
        .deleteFrom('device_activity')
        .where((where) => where.and(own))
        .execute()
      await forgetSightings(deviceKeyId)
      const sessions = query.deleteFrom('device_session').where((where) => where.and(own))
      await sessions.where('opened_at', '<', toInstant(guardedSince)).execute()
      const open = query.updateTable('device_session').set({ ...NOWHERE, store: null })
      await open.where((where) => where.and(own)).execute()
      await forgetRegistrations({ id, bucket }, guardedSince)
      const registrations = query.updateTable('device_registration').set(NOWHERE)
      await registrations.where((where) => where.and(own)).execute()
      return true
    },

    async remove({ id, bucket, status, deviceKeyId }, { guardedSince }) {
      await forgetRegistrations({ id, bucket }, guardedSince)
      const evidence = query.deleteFrom('clone_evidence')
      await evidence.where((where) => where.and({ device_id: id, bucket })).execute()
      await forgetSightings(deviceKeyId)
      try {
        const removed = await query
          .deleteFrom('device')
          .where((where) => where.and({ id, bucket, status }))
          .executeTakeFirst()
        return anyRowChanged(removed)
      } catch (error) {
        if (isReferenceViolation(error)) return false
        throw error
      }
    },

    async lastRequest({ id, bucket }) {
      // Uses the index device_registration_device. The maximum of no rows is null, which the types don't show.
      const { last } = await query
        .selectFrom('device_registration')
        .select((select) => select.fn.max('registered_at').as('last'))
        .where((where) => where.and({ device_id: id, bucket }))
        .executeTakeFirstOrThrow()
      return fromInstant(last as number | null) ?? undefined
    },
  }
}
