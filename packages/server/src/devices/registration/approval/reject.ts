/** Rejects a waiting device: its next poll gets the reason. */
import { requireForBrand } from '../../../authority.ts'
import type { Recording } from '../../../change.ts'
import type { RequestError } from '../../../errors.ts'
import type { Stores, TransactionStores } from '../../../stores.ts'
import type { Decision } from '../../decision-store.ts'
import type { Device, DeviceRef } from '../../device.ts'
import {
  checkReason,
  type DecidedDevice,
  type DeviceDecision,
  deviceConflict,
  findDevice,
  goneDevice,
} from '../../find-device.ts'

interface Rejection extends DeviceDecision {
  readonly reason: string
}

/**
 * Rejects a device. A device that is already rejected keeps its reason. Throws `RequestError`: as
 * `findDevice` does, `permission-denied`, `invalid-field` for the reason, `state-conflict` for a device that
 * is not waiting, and the errors of `mustBeSeen`.
 */
export async function rejectDevice(
  { name, reason: given, authority, mustBeSeen }: Rejection,
  stores: Stores,
): Promise<DecidedDevice> {
  const decision = { at: stores.clock(), by: authority.by, reason: checkReason(given) }
  const found = await findDevice({ name, prefer: ['pending', 'rejected'], authority }, stores)
  requireForBrand(authority, 'devices:decide', found.brandId)
  return stores.changeBy(authority.author)(async (transaction) => {
    const now = await transaction.devices.lock(found)
    if (!now) throw goneDevice(found)
    mustBeSeen?.(now)
    if (now.status === 'rejected') return { device: now, before: true }
    if (!(await recordRejection(now, decision, transaction))) throw notWaiting(now)
    const decided = { decidedAt: decision.at, decidedBy: decision.by, reason: decision.reason }
    return { device: { ...now, ...decided, status: 'rejected' }, before: false }
  })
}

/** Runs in the transaction. Returns false, and stores nothing, if the device is not waiting. */
async function recordRejection(
  device: DeviceRef,
  decision: Decision,
  { devices, record }: TransactionStores & Recording,
): Promise<boolean> {
  if (!(await devices.reject(device, decision))) return false
  await record({ action: 'device.reject', subject: device.id, details: { reason: decision.reason } })
  return true
}

/** `now` is the device's state in the register. */
function notWaiting(now: Device): RequestError {
  const advice = now.status === 'active' ? ' To end its sessions, use `ratafia devices revoke`.' : ''
  return deviceConflict(now, ` is not pending.${advice}`)
}
