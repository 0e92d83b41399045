/**
 * Removes a device permanently, for data protection: its personal data, and also its row if it never had a
 * serial. If it had one, the row stays, so that its serial number and key are never given again.
 */
import { type Authority, requireForBrand } from '../../authority.ts'
import { stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Device } from '../device.ts'
import { deviceConflict, findDevice } from '../find-device.ts'
import { LostRace, retryLostRaces, won } from '../lost-race.ts'
import { GUARD_MS } from '../nonce.ts'

interface ToRemove {
  readonly name: string
  readonly authority: Authority
}

export interface RemovedDevice {
  readonly device: Device
  /** `row`: its serial number and key stay; `nothing`: its row is also removed; `before`: it was removed earlier. */
  readonly left: 'row' | 'nothing' | 'before'
}

const ATTEMPTS = 3

/**
 * Returns the device named `name` (as {@link findDevice} accepts it), if it can be removed now. Throws `RequestError`
 * as `findDevice` does, `permission-denied` and `state-conflict`.
 */
export async function findRemovable({ name, authority }: ToRemove, stores: Stores): Promise<Device> {
  // No status is preferred: a serial number names the device that has it.
  const device = await findDevice({ name, authority }, stores)
  requireForBrand(authority, 'devices:manage', device.brandId)
  if (device.status === 'active') {
    throw deviceConflict(device, ' is in use. Revoke it with `ratafia devices revoke` before you remove it.')
  }
  if (ownsNothing(device)) await requireUsedUp(device, stores)
  return device
}

/** Finds the device again if it changes in the meantime. Throws as {@link findRemovable} does. */
export async function removeDevice({ name, authority }: ToRemove, stores: Stores): Promise<RemovedDevice> {
  const removed = await retryLostRaces(ATTEMPTS, async () => {
    const device = await findRemovable({ name, authority }, stores)
    if (device.removedAt) return { device, left: 'before' } as const
    return remove(device, authority, stores)
  })
  if (removed) return removed
  throw stateConflict(`The device ${JSON.stringify(name.slice(0, 200))} keeps changing. Try again.`)
}

const ownsNothing = ({ status }: Device): boolean => status === 'pending' || status === 'rejected'

async function remove(
  device: Device,
  { author, by }: Authority,
  { changeBy, clock, devices }: Stores,
): Promise<RemovedDevice> {
  const at = clock()
  const left = ownsNothing(device) ? 'nothing' : 'row'
  await changeBy(author)(async ({ removals, record }) => {
    const guardedSince = new Date(at.getTime() - GUARD_MS)
    won(
      left === 'nothing'
        ? await removals.remove(device, { guardedSince })
        : await removals.clear(device, { at, by, guardedSince }),
    )
    await record({ action: 'device.remove', subject: device.id, details: { status: device.status, left } })
  })
  if (left === 'nothing') return { device, left }
  const cleared = await devices.find(device)
  if (!cleared) throw new LostRace()
  return { device: cleared, left }
}

/** The row that ensures single use of a request-id is removed with the device, so the request-id must have expired. */
async function requireUsedUp(device: Device, { removals, clock }: Stores): Promise<void> {
  const last = await removals.lastRequest(device)
  const until = last && new Date(last.getTime() + GUARD_MS)
  if (!until || until <= clock()) return
  throw deviceConflict(
    device,
    ` registered at ${last.toISOString()} with a request-id that can still be valid. Remove it after ${until.toISOString()}.`,
  )
}
