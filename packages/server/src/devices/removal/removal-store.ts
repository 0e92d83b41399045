/** Takes what is personal out of the register: of one device, in the tables that refer to it. */
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
  /** What was used since then may not be used again, so its row stays. */
  readonly guardedSince: Date
}

export interface RemovalStore {
  /**
   * Within a transaction: leaves the serial number and the device key in the row, which no other device may have. Rows that
   * stay because of `guardedSince` no longer say where the device was. False if the device is neither revoked nor
   * superseded, or was removed before.
   */
  clear(device: DeviceRef & Pick<Device, 'deviceKeyId'>, removal: Removal): Promise<boolean>
  /**
   * Within a transaction: removes a device that never had a serial, with its row. False if its status has changed; also
   * if it asked since `guardedSince`: then the statement failed, and the transaction must end.
   */
  remove(
    device: DeviceRef & Pick<Device, 'status' | 'deviceKeyId'>,
    removal: Pick<Removal, 'guardedSince'>,
  ): Promise<boolean>
  /** When the device last used a request-id. */
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

  /** What others were seen doing with this key says from where. Few rows have evidence, so all of them are read. */
  const forgetSightings = (deviceKeyId: string) =>
    query
      .updateTable('clone_evidence')
      .set({ details: '{}' })
      .where((where) => where.and({ kind: 'second-key', subject: deviceKeyId }))
      .execute()

  /** Index device_registration_device. */
  const forgetRegistrations = ({ id, bucket }: DeviceRef, before: Date) =>
    query
      .deleteFrom('device_registration')
      .where((where) => where.and({ device_id: id, bucket }))
      .where('registered_at', '<', toInstant(before))
      .execute()

  return {
    async clear({ id, bucket, deviceKeyId }, { at, by, guardedSince }) {
      // Primary key.
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
      // Indexes serial_assertion_device, device_session_device and device_registration_device; the primary key of
      // clone_evidence begins with the device.
      const own = { device_id: id, bucket }
      await query
        .deleteFrom('serial_assertion')
        .where((where) => where.and(own))
        .execute()
      await query
        .deleteFrom('clone_evidence')
        .where((where) => where.and(own))
        .execute()
      // Primary key.
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
      // Index device_registration_device. Over no rows the maximum is null, which the types do not say.
      const { last } = await query
        .selectFrom('device_registration')
        .select((select) => select.fn.max('registered_at').as('last'))
        .where((where) => where.and({ device_id: id, bucket }))
        .executeTakeFirstOrThrow()
      return fromInstant(last as number | null) ?? undefined
    },
  }
}
