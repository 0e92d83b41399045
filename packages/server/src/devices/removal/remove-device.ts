/**
 * Removes a device for good, for the protection of data: everything personal, and its row if it never had a serial. Of
 * one that had, the row stays, so that its serial number and its key are never given again.
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
  /** `row`: its serial number and key stay; `nothing`: not even its row; `before`: it was removed earlier. */
  readonly left: 'row' | 'nothing' | 'before'
}

const ATTEMPTS = 3

/**
 * The device that `name` (as {@link findDevice} takes it) means, if it can be removed now. Throws `RequestError`
 * as that does, `permission-denied` and `state-conflict`.
 */
export async function findRemovable({ name, authority }: ToRemove, stores: Stores): Promise<Device> {
  // Without a preference: whoever names a serial number means the device that has it.
  const device = await findDevice({ name, authority }, stores)
  requireForBrand(authority, 'devices:manage', device.brandId)
  if (device.status === 'active') {
    throw deviceConflict(device, ' is in use. End it with `ratafia devices revoke` before you remove it.')
  }
  if (ownsNothing(device)) await requireUsedUp(device, stores)
  return device
}

/** A name that was found, and a device that changes meanwhile is looked at again. Throws as {@link findRemovable}. */
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

/** The row about a request-id, which makes it work once, goes with the device. */
async function requireUsedUp(device: Device, { removals, clock }: Stores): Promise<void> {
  const last = await removals.lastRequest(device)
  const until = last && new Date(last.getTime() + GUARD_MS)
  if (!until || until <= clock()) return
  throw deviceConflict(
    device,
    ` asked at ${last.toISOString()} with a request-id that may still be valid. Remove it after ${until.toISOString()}.`,
  )
}
