/** Everything the register knows about one device. */
import type { Authority } from '../../authority.ts'
import type { TransactionStores } from '../../stores.ts'
import type { DeviceActivity } from '../activity/device-activity.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import type { Device, SerialAssertion } from '../device.ts'
import { findDevice } from '../find-device.ts'
import type { RegistrationRow } from '../registration/registration-store.ts'
import type { DeviceSession } from '../sessions/device-session.ts'
import { latestActivity } from './device-parts.ts'

export interface DeviceDetails {
  readonly device: Device
  /** The device's activity; undefined if nothing is known. */
  readonly activity: DeviceActivity | undefined
  /** Sorted by revision. */
  readonly assertions: readonly SerialAssertion[]
  /** Newest first, at most `limit`; the same for sessions. */
  readonly registrations: readonly RegistrationRow[]
  readonly sessions: readonly DeviceSession[]
  /** Last seen first. */
  readonly evidence: readonly CloneEvidence[]
  /** Other devices that have, had or want the serial number: newest first, at most 100. */
  readonly others: readonly Device[]
}

interface ToShow {
  /** A name that `findDevice` accepts. */
  readonly name: string
  readonly limit: number
  readonly authority: Authority
}

/** Throws `RequestError` as `findDevice` does. */
export async function showDevice(
  { name, limit, authority }: ToShow,
  stores: TransactionStores,
): Promise<DeviceDetails> {
  const { devices, registrations, deviceSessions, clones } = stores
  const device = await findDevice({ name, authority }, stores)
  const { id } = device
  const sharing = device.serial === '' ? [] : await devices.findBySerial(device)
  return {
    device,
    activity: await latestActivity(device, stores),
    assertions: await devices.serialAssertionsOf(device),
    registrations: await registrations.ofDevice(device, limit),
    sessions: await deviceSessions.ofDevice(device, limit),
    evidence: await clones.evidenceOf(device),
    others: sharing.filter((other) => other.id !== id),
  }
}
