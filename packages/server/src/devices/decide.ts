/**
 * An operator's decisions about one device: rejects a waiting one (its next poll gets the reason), revokes one with its
 * sessions, or releases one from quarantine. `approve.ts` approves one, which signs its serial.
 */
import { requireForBrand } from '../authority.ts'
import type { InChange } from '../change.ts'
import type { RequestError } from '../errors.ts'
import type { Stores } from '../stores.ts'
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

/**
 * Rejects a device. A device that is already rejected keeps its reason. Throws `RequestError`: as `findDevice` does,
 * `permission-denied`, `invalid-field` for the reason, `state-conflict` for a device that is not waiting, and the
 * errors of `mustBeSeen`.
 */
export async function rejectDevice(
  { reason: given, ...asked }: DeviceDecision & { readonly reason: string },
  stores: Stores,
): Promise<DecidedDevice> {
  const { authority } = asked
  const decision = { at: stores.clock(), by: authority.by, reason: checkReason(given) }
  const kind: Kind = {
    prefer: ['pending', 'rejected'],
    needs: 'devices:decide',
    wasMade: ({ status }) => status === 'rejected',
    make: async (now, { devices, record }) => {
      if (!(await devices.reject(now, decision))) throw notWaiting(now)
      await record({ action: 'device.reject', subject: now.id, details: { reason: decision.reason } })
      return { ...now, ...decidedBy(decision), status: 'rejected' }
    },
  }
  return decide(asked, kind, stores)
}

/**
 * Revokes a device: it cannot open sessions, and its serial is not given to another device key. Every session check
 * reads the row, so this also revokes its sessions. An earlier revocation is left unchanged. Throws `RequestError`: as
 * `findDevice` does, `permission-denied`, `invalid-field` for the reason, `state-conflict` for a device without a
 * serial, and the errors of `mustBeSeen`.
 */
export async function revokeDevice(
  { reason, ...asked }: DeviceDecision & { readonly reason?: string | undefined },
  stores: Stores,
): Promise<DecidedDevice> {
  const { by } = asked.authority
  const decision = { at: stores.clock(), by, reason: reason === undefined ? null : checkReason(reason) }
  const kind: Kind = {
    prefer: ['active', 'revoked'],
    needs: 'devices:manage',
    wasMade: ({ status }) => status === 'revoked',
    make: async (now, { devices, record }) => {
      if (!(await devices.revoke(now, decision))) throw nothingToRevoke(now)
      const details = { serial: showSerialName(now), reason: decision.reason }
      await record({ action: 'device.revoke', subject: now.id, details })
      return { ...now, ...decidedBy(decision), status: 'revoked' }
    },
  }
  return decide(asked, kind, stores)
}

/**
 * Releases a device after an operator has looked at the evidence, which is kept: it can open sessions again. Leaves an
 * active device that is not in quarantine unchanged. Throws `RequestError`: as `findDevice` does, `permission-denied`,
 * `state-conflict` for a device that can't have sessions in any case, and the errors of `mustBeSeen`.
 */
export const releaseDevice = (asked: DeviceDecision, stores: Stores): Promise<DecidedDevice> =>
  decide(
    asked,
    {
      prefer: ['active'],
      needs: 'devices:manage',
      wasMade: ({ quarantinedAt, status }) => quarantinedAt === null && status === 'active',
      make: async (now, { devices, record }) => {
        if (!(await devices.setQuarantine(now, null))) throw deviceConflict(now, ' is not in quarantine.')
        await record({ action: 'device.release', subject: now.id })
        return { ...now, quarantinedAt: null }
      },
    },
    stores,
  )

interface Kind {
  readonly prefer: readonly DeviceStatus[]
  readonly needs: 'devices:decide' | 'devices:manage'
  /** Whether the same decision was made earlier. */
  readonly wasMade: (now: Device) => boolean
  /** Stores and records the decision, and returns the device after it. Throws if it is not possible. */
  readonly make: (now: Device, on: InChange) => Promise<Device>
}

/** Makes a decision about the device, which is locked, unless it was made earlier. */
async function decide(
  { name, authority, mustBeSeen }: DeviceDecision,
  { prefer, needs, wasMade, make }: Kind,
  stores: Stores,
): Promise<DecidedDevice> {
  const found = await findDevice({ name, prefer, authority }, stores)
  requireForBrand(authority, needs, found.brandId)
  return stores.changeBy(authority.author)(async (on) => {
    const now = await on.devices.lock(found)
    if (!now) throw goneDevice(found)
    mustBeSeen?.(now)
    return wasMade(now) ? { device: now, before: true } : { device: await make(now, on), before: false }
  })
}

const decidedBy = ({ at, by, reason }: Decision) => ({ decidedAt: at, decidedBy: by, reason })

const notWaiting = (now: Device): RequestError =>
  deviceConflict(
    now,
    ` is not pending.${now.status === 'active' ? ' To end its sessions, use `ratafia devices revoke`.' : ''}`,
  )

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
