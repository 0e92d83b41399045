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
  deps: TransactionStores,
): Promise<readonly DeviceSession[]> {
  return deps.deviceSessions.ofDevice(await findDevice({ name, authority }, deps), limit)
}

export async function registrationsOfDevice(
  { name, authority, limit }: PartOf,
  deps: TransactionStores,
): Promise<readonly RegistrationRow[]> {
  return deps.registrations.ofDevice(await findDevice({ name, authority }, deps), limit)
}

/** By revision: the newest `limit`. */
export async function assertionsOfDevice(
  { name, authority, limit }: PartOf,
  deps: TransactionStores,
): Promise<readonly SerialAssertion[]> {
  return (await deps.devices.serialAssertionsOf(await findDevice({ name, authority }, deps))).slice(-limit)
}

/** Undefined: it has none. */
export async function activityOfDevice(
  { name, authority }: Omit<PartOf, 'limit'>,
  deps: TransactionStores,
): Promise<DeviceActivity | undefined> {
  return latestActivity(await findDevice({ name, authority }, deps), deps)
}

/** Last seen first. */
export async function evidenceOfDevice(
  { name, authority, limit }: PartOf,
  deps: TransactionStores,
): Promise<readonly CloneEvidence[]> {
  return (await deps.clones.evidenceOf(await findDevice({ name, authority }, deps))).slice(0, limit)
}

/** What the audit log has about it. */
export async function historyOfDevice(
  { name, authority, limit }: PartOf,
  deps: TransactionStores,
): Promise<readonly AuditEntry[]> {
  const { id } = await findDevice({ name, authority }, deps)
  return deps.audit.list({ subject: id }, { limit })
}
