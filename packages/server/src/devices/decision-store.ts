/** What becomes of a device in the register, each time if it is still what it was: updates of the table `device`. */
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
   * Gives a pending or rejected device its serial, with a new revision: `device` is what it becomes. False, and then the
   * transaction must end, if its status is no longer `from`, if the serial has another holder, or if a revision as high
   * was given under it.
   */
  activate(
    device: Device & { readonly revision: number },
    from: DeviceStatus,
    decision: Decision,
  ): Promise<boolean>
  /** False if it is not pending. */
  reject(device: DeviceRef, decision: Decision): Promise<boolean>
  /**
   * Frees the serial for another key within the same transaction. False if the device is not active, or in quarantine:
   * then it keeps its serial.
   */
  supersede(device: DeviceRef & SerialName, decision: Decision): Promise<boolean>
  /** False if it is not active. */
  revoke(device: DeviceRef, decision: Decision): Promise<boolean>
  /** Null ends a quarantine. False if nothing changes. Only an active device goes into quarantine. */
  setQuarantine(device: DeviceRef, at: Date | null): Promise<boolean>
  /** The revision of its newest assertion. False if it has this or a higher one already, or is not active. */
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

/** By the primary key. */
const update = (query: Database['query'], { id, bucket }: DeviceRef, columns: Partial<DeviceTable>) =>
  query
    .updateTable('device')
    .set(columns)
    .where((where) => where.and({ id, bucket }))

const whileInUse = (changed: ReturnType<typeof update>) =>
  changed.where('status', '=', 'active').where('quarantined_at', 'is', null)

/** Makes a change and announces it to every node. Returns whether there was one. */
const announced = (
  query: Database['query'],
  { id }: DeviceRef,
  change: (on: Database['query']) => ReturnType<typeof update>,
): Promise<boolean> => changeAnnounced(query, { kind: 'device', id }, change)

const columnsOf = ({ at, by, reason }: Decision) => ({ decided_at: toInstant(at), decided_by: by, reason })

/** Where it came from matters only while it waits. */
const WAITS_NOWHERE = { waits_in_narrow: null, waits_in_middle: null, waits_in_wide: null }
