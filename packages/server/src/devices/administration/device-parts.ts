import type { AuditEntry } from '../../audit/entry.ts'
import type { Authority } from '../../authority.ts'
import type { TransactionStores } from '../../stores.ts'
import type { DeviceActivity } from '../activity/device-activity.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import type { Device, SerialAssertion } from '../device.ts'
import { findDevice } from '../find-device.ts'
import type { RegistrationRow } from '../registration/registration-store.ts'
import type { DeviceSession } from '../sessions/device-session.ts'

interface PartOf {
  /** A name that `findDevice` accepts. */
  readonly name: string
  readonly authority: Authority
  /** The number of newest records to return. */
  readonly limit: number
}

// All of these functions throw `RequestError` as `findDevice` does.

export async function sessionsOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly DeviceSession[]> {
  return stores.deviceSessions.ofDevice(await findDevice({ name, authority }, stores), limit)
}

export async function registrationsOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly RegistrationRow[]> {
  return stores.registrations.ofDevice(await findDevice({ name, authority }, stores), limit)
}

/** Returns the newest `limit` assertions, sorted by revision. */
export async function assertionsOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly SerialAssertion[]> {
  return (await stores.devices.serialAssertionsOf(await findDevice({ name, authority }, stores))).slice(
    -limit,
  )
}

/** Returns undefined if nothing is known. */
export async function activityOfDevice(
  { name, authority }: Omit<PartOf, 'limit'>,
  stores: TransactionStores,
): Promise<DeviceActivity | undefined> {
  return latestActivity(await findDevice({ name, authority }, stores), stores)
}

/** Returns the evidence last seen first. */
export async function evidenceOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly CloneEvidence[]> {
  return (await stores.clones.evidenceOf(await findDevice({ name, authority }, stores))).slice(0, limit)
}

/** Returns the device's entries in the audit log. */
export async function historyOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly AuditEntry[]> {
  const { id } = await findDevice({ name, authority }, stores)
  return stores.audit.list({ subject: id }, { limit })
}

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
