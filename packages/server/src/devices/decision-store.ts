/** Decisions about devices: conditional updates of the table `device`, which do nothing if the device has changed. */
import {
  anyRowChanged,
  changeAnnounced,
  type Database,
  type DeviceTable,
  inTransaction,
  toInstant,
} from '../database/index.ts'
import type { Device, DeviceRef, DeviceStatus, SerialName } from './device.ts'
import { serialHolderStore } from './serials/serial-holder-store.ts'

export interface Decision {
  readonly at: Date
  readonly by: string
  readonly reason: string | null
}

export interface DecisionStore {
  /**
   * Activates a pending or rejected device with its serial and a new revision; `device` is the new state.
   * Returns false if its status is no longer `from`, if the serial has another holder, or if an equal or
   * higher revision was already given under it. After false, the transaction must be rolled back.
   */
  activate(
    device: Device & { readonly revision: number },
    from: DeviceStatus,
    decision: Decision,
  ): Promise<boolean>
  /** Returns false if the device is not pending. */
  reject(device: DeviceRef, decision: Decision): Promise<boolean>
  /**
   * Frees the serial for another key within the same transaction. Returns false if the device is not active,
   * or is in quarantine: it then keeps its serial.
   */
  supersede(device: DeviceRef & SerialName, decision: Decision): Promise<boolean>
  /** Returns false if the device is not active. */
  revoke(device: DeviceRef, decision: Decision): Promise<boolean>
  /** Null releases the device. Returns false if nothing changes. Only an active device goes into quarantine. */
  setQuarantine(device: DeviceRef, at: Date | null): Promise<boolean>
  /** Stores the newest assertion's revision. Returns false if the device has an equal or higher one or isn't active. */
  setRevision(device: DeviceRef & SerialName, revision: number): Promise<boolean>
}

export function decisionStore({ query }: Pick<Database, 'query'>): DecisionStore {
  return {
    async activate(device, from, decision) {
      if (!(await serialHolderStore({ query }).claim(device, 'new'))) return false
      const { serial, revision } = device
      const given = { serial, revision, status: 'active', request: null } as const
      const waiting = update(query, device, { ...given, ...WAITS_NOWHERE, ...columnsOf(decision) })
      return anyRowChanged(await waiting.where('status', '=', from).executeTakeFirst())
    },

    async reject(device, decision) {
      const rejected = { status: 'rejected', ...WAITS_NOWHERE, ...columnsOf(decision) } as const
      const waiting = update(query, device, rejected).where('status', '=', 'pending')
      return anyRowChanged(await waiting.executeTakeFirst())
    },

    supersede: (device, decision) =>
      inTransaction(query, async (transaction) => {
        const superseded = await announced(transaction, device, (on) =>
          whileInUse(update(on, device, { status: 'superseded', ...columnsOf(decision) })),
        )
        if (superseded) await serialHolderStore({ query: transaction }).release(device)
        return superseded
      }),

    revoke: (device, decision) =>
      announced(query, device, (on) =>
        update(on, device, { status: 'revoked', ...columnsOf(decision) }).where('status', '=', 'active'),
      ),

    setQuarantine: (device, at) =>
      announced(query, device, (on) => {
        const changed = update(on, device, { quarantined_at: at && toInstant(at) })
        return at ? whileInUse(changed) : changed.where('quarantined_at', 'is not', null)
      }),

    async setRevision(device, revision) {
      const result = await update(query, device, { revision })
        .where('status', '=', 'active')
        .where((where) => where.or([where('revision', 'is', null), where('revision', '<', revision)]))
        .executeTakeFirst()
      if (!anyRowChanged(result)) return false
      await serialHolderStore({ query }).raise(device, revision)
      return true
    },
  }
}

/** Updates a device by its primary key. */
const update = (query: Database['query'], { id, bucket }: DeviceRef, columns: Partial<DeviceTable>) =>
  query
    .updateTable('device')
    .set(columns)
    .where((where) => where.and({ id, bucket }))

const whileInUse = (changed: ReturnType<typeof update>) =>
  changed.where('status', '=', 'active').where('quarantined_at', 'is', null)

/** Makes a change and announces it to every node. Returns whether anything changed. */
const announced = (
  query: Database['query'],
  { id }: DeviceRef,
  change: (on: Database['query']) => ReturnType<typeof update>,
): Promise<boolean> => changeAnnounced(query, { kind: 'device', id }, change)

const columnsOf = ({ at, by, reason }: Decision) => ({ decided_at: toInstant(at), decided_by: by, reason })

/** The origin of a registration matters only while the device waits. */
const WAITS_NOWHERE = { waits_in_narrow: null, waits_in_middle: null, waits_in_wide: null }
