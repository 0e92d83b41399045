import type { AuditEntry } from '../../audit/entry.ts'
import type { Authority } from '../../authority.ts'
import type { TransactionStores } from '../../stores.ts'
import type { DeviceActivity } from '../activity/device-activity.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import type { SerialAssertion } from '../device.ts'
import { findDevice } from '../find-device.ts'
import type { RegistrationRow } from '../registration/registration-store.ts'
import type { DeviceSession } from '../sessions/device-session.ts'
import { latestActivity } from './latest-activity.ts'

interface PartOf {
  /** As `findDevice` takes it. */
  readonly name: string
  readonly authority: Authority
  /** How many of the newest. */
  readonly limit: number
}

// All throw `RequestError` as `findDevice` does.

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

/** By revision: the newest `limit`. */
export async function assertionsOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly SerialAssertion[]> {
  return (await stores.devices.serialAssertionsOf(await findDevice({ name, authority }, stores))).slice(
    -limit,
  )
}

/** Undefined: it has none. */
export async function activityOfDevice(
  { name, authority }: Omit<PartOf, 'limit'>,
  stores: TransactionStores,
): Promise<DeviceActivity | undefined> {
  return latestActivity(await findDevice({ name, authority }, stores), stores)
}

/** Last seen first. */
export async function evidenceOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly CloneEvidence[]> {
  return (await stores.clones.evidenceOf(await findDevice({ name, authority }, stores))).slice(0, limit)
}

/** What the audit log has about it. */
export async function historyOfDevice(
  { name, authority, limit }: PartOf,
  stores: TransactionStores,
): Promise<readonly AuditEntry[]> {
  const { id } = await findDevice({ name, authority }, stores)
  return stores.audit.list({ subject: id }, { limit })
}
