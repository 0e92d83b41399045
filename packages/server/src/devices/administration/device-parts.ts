/** Records that belong to one device. All of these functions throw `RequestError` as `findDevice` does. */
import type { AuditEntry } from '../../audit/entry.ts'
import type { Authority } from '../../authority.ts'
import type { TransactionStores } from '../../stores.ts'
import type { DeviceActivity } from '../activity/device-activity.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import type { SerialAssertion } from '../device.ts'
import { findDevice } from '../find-device.ts'
import type { RegistrationRow } from '../registration/registration-store.ts'
import type { DeviceSession } from '../sessions/device-session.ts'

interface OfDevice {
  /** A name that `findDevice` accepts. */
  readonly name: string
  readonly authority: Authority
}

interface PartOf extends OfDevice {
  /** The number of newest records to return. */
  readonly limit: number
}

type Part<Row> = (part: PartOf, stores: TransactionStores) => Promise<readonly Row[]>

export const sessionsOfDevice: Part<DeviceSession> = async (part, stores) =>
  stores.deviceSessions.ofDevice(await findDevice(part, stores), part.limit)

export const registrationsOfDevice: Part<RegistrationRow> = async (part, stores) =>
  stores.registrations.ofDevice(await findDevice(part, stores), part.limit)

/** Returns the newest `limit` assertions, sorted by revision. */
export const assertionsOfDevice: Part<SerialAssertion> = async (part, stores) =>
  (await stores.devices.serialAssertionsOf(await findDevice(part, stores))).slice(-part.limit)

/** Returns the evidence last seen first. */
export const evidenceOfDevice: Part<CloneEvidence> = async (part, stores) =>
  (await stores.clones.evidenceOf(await findDevice(part, stores))).slice(0, part.limit)

/** Returns the device's entries in the audit log. */
export const historyOfDevice: Part<AuditEntry> = async (part, stores) =>
  stores.audit.list({ subject: (await findDevice(part, stores)).id }, { limit: part.limit })

/**
 * Returns the stored activity, or the newest session or registration if that is newer: nodes store activity some
 * seconds late. Returns undefined if nothing is known.
 */
export async function activityOfDevice(
  of: OfDevice,
  stores: TransactionStores,
): Promise<DeviceActivity | undefined> {
  const device = await findDevice(of, stores)
  const [stored, [session], [registration]] = await Promise.all([
    stores.activities.of([device.id]).then((found) => found.get(device.id)),
    stores.deviceSessions.ofDevice(device, 1),
    stores.registrations.ofDevice(device, 1),
  ])
  const seen = [
    ...(session ? [{ at: session.openedAt, address: session.caller.address }] : []),
    ...(registration ? [{ at: registration.at, address: registration.caller.address }] : []),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime())[0]
  if (!seen || (stored?.lastSeenAt && stored.lastSeenAt >= seen.at)) return stored
  return { lastSeenAt: seen.at, lastAddress: seen.address, evidenceAt: stored?.evidenceAt ?? null }
}
