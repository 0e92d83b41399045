/** The operator rejects a device: its next poll gets the reason. */
import type { Recording } from '../../../change.ts'
import { invalidField, type RequestError } from '../../../errors.ts'
import type { Decision } from '../../decision-store.ts'
import { type Device, type DeviceRef, describeDevice } from '../../device.ts'
import type { DeviceStore } from '../../device-store.ts'
import { type DecideDeps, findDevice, type OperatorDecision } from '../../find-device.ts'
import { checkReason } from '../../reason.ts'

interface Rejection extends OperatorDecision {
  readonly reason: string
}

/** Throws `RequestError` `invalid-field` for a device that does not wait. */
export async function rejectDevice(
  { name, reason: given, by }: Rejection,
  deps: DecideDeps,
): Promise<Device> {
  const reason = checkReason(given)
  const at = deps.clock()
  const device = await findDevice(name, ['pending'], deps)
  const rejected = await deps.change((stores) => recordRejection(device, { at, by, reason }, stores))
  if (rejected) {
    return { ...device, status: 'rejected', decidedAt: at, decidedBy: by, reason }
  }
  throw await notWaiting(device, deps)
}

/** On the transaction. False, and nothing is stored, if it does not wait. */
export async function recordRejection(
  device: DeviceRef,
  decision: Decision,
  { devices, record }: Recording & { readonly devices: DeviceStore },
): Promise<boolean> {
  if (!(await devices.reject(device, decision))) return false
  await record({ action: 'device.reject', subject: device.id, details: { reason: decision.reason } })
  return true
}

/** Perhaps somebody decided about it, or removed it, a moment ago. */
export async function notWaiting(
  device: Device,
  { devices }: { readonly devices: DeviceStore },
): Promise<RequestError> {
  const now = await devices.find(device)
  if (!now) return invalidField(`The device ${device.id} no longer exists.`)
  const advice = now.status === 'active' ? ' To end its sessions, use `ratafia devices revoke`.' : ''
  return invalidField(`${describeDevice(now)} is not waiting for a decision.${advice}`)
}
