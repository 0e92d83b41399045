/**
 * Revokes a device: its sessions are revoked, it cannot open new ones, and its serial is not given to another
 * device key.
 */
import { requireForBrand } from '../authority.ts'
import type { Recording } from '../change.ts'
import type { RequestError } from '../errors.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import type { Decision } from './decision-store.ts'
import { type Device, type DeviceStatus, showSerialName } from './device.ts'
import {
  checkReason,
  type DecidedDevice,
  type DeviceDecision,
  deviceConflict,
  findDevice,
  goneDevice,
} from './find-device.ts'

interface Revocation extends DeviceDecision {
  readonly reason?: string | undefined
}

/**
 * Every session check reads the row, so this also revokes the device's sessions. An earlier revocation is
 * left unchanged. Throws `RequestError`: as `findDevice` does, `permission-denied`, `invalid-field` for the
 * reason, `state-conflict` for a device without a serial, and the errors of `mustBeSeen`.
 */
export async function revokeDevice(
  { name, reason, authority, mustBeSeen }: Revocation,
  stores: Stores,
): Promise<DecidedDevice> {
  const decision = {
    at: stores.clock(),
    by: authority.by,
    reason: reason === undefined ? null : checkReason(reason),
  }
  const found = await findDevice({ name, prefer: ['active', 'revoked'], authority }, stores)
  requireForBrand(authority, 'devices:manage', found.brandId)
  return stores.changeBy(authority.author)(async (transaction) => {
    const now = await transaction.devices.lock(found)
    if (!now) throw goneDevice(found)
    mustBeSeen?.(now)
    if (now.status === 'revoked') return { device: now, before: true }
    if (!(await recordRevocation(now, decision, transaction))) throw nothingToRevoke(now)
    const decided = { decidedAt: decision.at, decidedBy: decision.by, reason: decision.reason }
    return { device: { ...now, ...decided, status: 'revoked' }, before: false }
  })
}

/** Runs in the transaction. Returns false, and stores nothing, if the device is not active. */
async function recordRevocation(
  device: Device,
  decision: Decision,
  { devices, record }: TransactionStores & Recording,
): Promise<boolean> {
  if (!(await devices.revoke(device, decision))) return false
  const details = { serial: showSerialName(device), reason: decision.reason }
  await record({ action: 'device.revoke', subject: device.id, details })
  return true
}

/** `now` is the device's state in the register. */
const nothingToRevoke = (now: Device): RequestError =>
  now.status === 'active'
    ? deviceConflict(now, ' has just changed. Try again.')
    : deviceConflict(now, ` has no serial to revoke.${ADVICE[now.status]}`)

const ADVICE: Readonly<Record<Exclude<DeviceStatus, 'active'>, string>> = {
  pending: ' Reject it with `ratafia devices reject`.',
  rejected: ' It never got a serial.',
  superseded: ' Another device key has its serial.',
  revoked: ' It is already revoked.',
}
