/** When one device was last seen, including activity that isn't stored yet. */
import type { TransactionStores } from '../../stores.ts'
import type { DeviceActivity } from '../activity/device-activity.ts'
import type { Device } from '../device.ts'

/**
 * Returns the stored activity, or the newest session or registration if that is newer: nodes store activity
 * some seconds late. Returns undefined if nothing is known.
 */
export async function latestActivity(
  device: Device,
  { activities, registrations, deviceSessions }: TransactionStores,
): Promise<DeviceActivity | undefined> {
  const [stored, [session], [registration]] = await Promise.all([
    activities.of([device.id]).then((found) => found.get(device.id)),
    deviceSessions.ofDevice(device, 1),
    registrations.ofDevice(device, 1),
  ])
  const seen = [
    ...(session ? [{ at: session.openedAt, address: session.caller.address }] : []),
    ...(registration ? [{ at: registration.at, address: registration.caller.address }] : []),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime())[0]
  if (!seen || (stored?.lastSeenAt && stored.lastSeenAt >= seen.at)) return stored
  return { lastSeenAt: seen.at, lastAddress: seen.address, evidenceAt: stored?.evidenceAt ?? null }
}
