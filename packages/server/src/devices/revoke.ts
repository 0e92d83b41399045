/** Revokes a device: its sessions end, it gets no new ones, and no other device key gets its serial. */
import type { Recording } from '../change.ts'
import { invalidField, type RequestError } from '../errors.ts'
import type { Decision } from './decision-store.ts'
import { type Device, type DeviceStatus, describeDevice, showSerialName } from './device.ts'
import type { DeviceStore } from './device-store.ts'
import { type DecideDeps, findDevice, type OperatorDecision } from './find-device.ts'
import { checkReason } from './reason.ts'

interface Revocation extends OperatorDecision {
  readonly reason?: string | undefined
}

export interface RevokedDevice {
  readonly device: Device
  /** It was revoked earlier, and that revocation is unchanged. */
  readonly before: boolean
}

/**
 * Every verification reads the row, so the sessions of the device end with this. Throws `RequestError` `invalid-field`.
 */
export async function revokeDevice(
  { name, reason, by }: Revocation,
  deps: DecideDeps,
): Promise<RevokedDevice> {
  const decision = { at: deps.clock(), by, reason: reason === undefined ? null : checkReason(reason) }
  const found = await findDevice(name, ['active', 'revoked'], deps)
  const revoked = await deps.change((stores) => recordRevocation(found, decision, stores))
  const device = await deps.devices.find(found)
  if (device?.status === 'revoked') return { device, before: !revoked }
  throw nothingToRevoke(found, device)
}

/** On the transaction. False, and nothing is stored, if it is not active. */
export async function recordRevocation(
  device: Device,
  decision: Decision,
  { devices, record }: Recording & { readonly devices: DeviceStore },
): Promise<boolean> {
  if (!(await devices.revoke(device, decision))) return false
  const details = { serial: showSerialName(device), reason: decision.reason }
  await record({ action: 'device.revoke', subject: device.id, details })
  return true
}

/** `now` is what the register has; undefined if the device was removed. */
export function nothingToRevoke({ id }: Device, now: Device | undefined): RequestError {
  if (!now) return invalidField(`The device ${id} no longer exists.`)
  if (now.status === 'active') return invalidField(`${describeDevice(now)} has just changed. Try again.`)
  return invalidField(`${describeDevice(now)} has no serial to revoke.${ADVICE[now.status]}`)
}

const ADVICE: Readonly<Record<Exclude<DeviceStatus, 'active'>, string>> = {
  pending: ' Refuse it with `ratafia devices reject`.',
  rejected: ' It never got a serial.',
  superseded: ' It no longer gets anything.',
  revoked: ' It is revoked already.',
}
