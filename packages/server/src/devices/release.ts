/** Releases a device from quarantine, after an operator has looked at the evidence: it can open sessions again. */
import { requireForBrand } from '../authority.ts'
import type { Stores } from '../stores.ts'
import {
  type DecidedDevice,
  type DeviceDecision,
  deviceConflict,
  findDevice,
  goneDevice,
} from './find-device.ts'

/**
 * Keeps the evidence. Leaves an active device that is not in quarantine unchanged. Throws `RequestError`: as
 * `findDevice` does, `permission-denied`, `state-conflict` for a device that can't have sessions in any case,
 * and the errors of `mustBeSeen`.
 */
export async function releaseDevice(
  { name, authority, mustBeSeen }: DeviceDecision,
  stores: Stores,
): Promise<DecidedDevice> {
  const found = await findDevice({ name, prefer: ['active'], authority }, stores)
  requireForBrand(authority, 'devices:manage', found.brandId)
  return stores.changeBy(authority.author)(async ({ devices, record }) => {
    const now = await devices.lock(found)
    if (!now) throw goneDevice(found)
    mustBeSeen?.(now)
    if (now.quarantinedAt === null && now.status === 'active') return { device: now, before: true }
    if (!(await devices.setQuarantine(now, null))) throw deviceConflict(now, ' is not in quarantine.')
    await record({ action: 'device.release', subject: now.id })
    return { device: { ...now, quarantinedAt: null }, before: false }
  })
}
