/** What becomes of a device in the register, each time if it is still what it was: updates of the table `device`. */
import type { DeviceId } from '@ratafia/api'
import {
  anyRowChanged,
  type Database,
  type DeviceTable,
  isUniqueViolation,
  toInstant,
} from '../database/index.ts'
import type { DeviceStatus } from './device.ts'

export interface Decision {
  readonly at: Date
  readonly by: string
  readonly reason: string | null
}

export interface DecisionStore {
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

export function decisionStore({ query }: Pick<Database, 'query'>): DecisionStore {
  /** By the primary key. */
  const update = (id: DeviceId, columns: Partial<DeviceTable>) =>
    query.updateTable('device').set(columns).where('id', '=', id)

  /** False when the device does not have this status. */
  const decide = async (id: DeviceId, from: DeviceStatus, columns: Partial<DeviceTable>) =>
    anyRowChanged(await update(id, columns).where('status', '=', from).executeTakeFirst())

  return {
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

const columnsOf = ({ at, by, reason }: Decision) => ({ decided_at: toInstant(at), decided_by: by, reason })

/** Where it came from matters only while it waits. */
const WAITS_NOWHERE = { waits_in_narrow: null, waits_in_middle: null, waits_in_wide: null }
