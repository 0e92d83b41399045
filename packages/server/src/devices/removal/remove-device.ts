/**
 * Removes a device for good, for the protection of data: everything personal, and its row if it never had a serial. Of
 * one that had, the row stays, so that its serial number and its key are never given again.
 */
import type { Changing } from '../../change.ts'
import type { Clock } from '../../clock.ts'
import { invalidField } from '../../errors.ts'
import { type Device, describeDevice } from '../device.ts'
import type { DeviceStore } from '../device-store.ts'
import { findDevice } from '../find-device.ts'
import { LostRace, retryLostRaces, won } from '../lost-race.ts'
import { GUARD_MS } from '../nonce.ts'
import type { RemovalStore } from './removal-store.ts'

interface FindDeps {
  readonly devices: DeviceStore
  readonly removals: RemovalStore
  readonly clock: Clock
}

interface RemoveDeps extends FindDeps {
  readonly change: Changing<{ readonly devices: DeviceStore; readonly removals: RemovalStore }>
}

export interface RemovedDevice {
  readonly device: Device
  /** `row`: its serial number and key stay; `nothing`: not even its row; `before`: it was removed earlier. */
  readonly left: 'row' | 'nothing' | 'before'
}

const ATTEMPTS = 3

/**
 * The device that `name` (as {@link findDevice} takes it) means, if it can be removed now. Throws `RequestError`
 * `invalid-field`.
 */
export async function findRemovable(name: string, deps: FindDeps): Promise<Device> {
  // Without a preference: whoever names a serial number means the device that has it.
  const device = await findDevice(name, [], deps)
  if (device.status === 'active') {
    throw invalidField(
      `${describeDevice(device)} is in use. End it with \`ratafia devices revoke\` before you remove it.`,
    )
  }
  if (ownsNothing(device)) await requireUsedUp(device, deps)
  return device
}

/** A name that was found, and a device that changes meanwhile is looked at again. Throws as {@link findRemovable}. */
export async function removeDevice(
  { name, by }: { readonly name: string; readonly by: string },
  deps: RemoveDeps,
): Promise<RemovedDevice> {
  const removed = await retryLostRaces(ATTEMPTS, async () => {
    const device = await findRemovable(name, deps)
    if (device.removedAt) return { device, left: 'before' } as const
    return remove(device, by, deps)
  })
  if (removed) return removed
  throw invalidField(`The device ${JSON.stringify(name.slice(0, 200))} keeps changing. Try again.`)
}

const ownsNothing = ({ status }: Device): boolean => status === 'pending' || status === 'rejected'

async function remove(
  device: Device,
  by: string,
  { change, clock, devices }: RemoveDeps,
): Promise<RemovedDevice> {
  const at = clock()
  const left = ownsNothing(device) ? 'nothing' : 'row'
  await change(async ({ removals, record }) => {
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
async function requireUsedUp(device: Device, { removals, clock }: FindDeps): Promise<void> {
  const last = await removals.lastRequest(device)
  const until = last && new Date(last.getTime() + GUARD_MS)
  if (!until || until <= clock()) return
  throw invalidField(
    `${describeDevice(device)} asked at ${last.toISOString()} with a request-id that may still be valid. Remove it after ${until.toISOString()}.`,
  )
}
