/** Finds the one device that an operator names by its id, by BRAND/MODEL/SERIAL, or by its device key. */
import { isDeviceId } from '@ratafia/api'
import { type Authority, brandsFor, covers } from '../authority.ts'
import { invalidField, noSuchRecord, type RequestError, stateConflict } from '../errors.ts'
import type { TransactionStores } from '../stores.ts'
import { isUnprintable } from '../text/joiners.ts'
import { chooseDevice } from './choose-device.ts'
import { type Device, type DeviceStatus, describeDevice, showSerialName } from './device.ts'
import type { DeviceStore } from './device-store.ts'

/** The device to decide about, and the caller's authority. */
export interface DeviceDecision {
  /** A name that {@link findDevice} accepts. */
  readonly name: string
  readonly authority: Authority
  /**
   * Compares the device with the state that the caller decided about, under the lock of its row. Throws
   * `version-mismatch`. By default, any state is accepted.
   */
  readonly mustBeSeen?: ((now: Device) => void) | undefined
}

/** The outcome of a decision about a device. */
export interface DecidedDevice {
  readonly device: Device
  /** Whether the same decision was made earlier; the device is then unchanged. */
  readonly before: boolean
}

/** More rows of one key than anyone would read. */
const KEY_ROWS = 20

interface ToFind {
  readonly name: string
  /** Devices with these statuses come first: the caller can act on them. */
  readonly prefer?: readonly DeviceStatus[]
  /** Devices of brands the caller can't see are treated as missing. */
  readonly authority: Authority
}

/**
 * A serial number or a key can match several rows: its holder, former holders and applicants. Prefers devices with a
 * status in `prefer`, then the one that has the serial, then the others. Throws `permission-denied`, `no-such-record`,
 * or `invalid-field` with their ids if several match.
 */
export async function findDevice(
  { name, prefer = [], authority }: ToFind,
  { devices }: TransactionStores,
): Promise<Device> {
  const brands = brandsFor(authority, 'devices:read')
  const rows = (await rowsOf(name, devices)).filter(({ brandId }) => covers(brands, brandId))
  const named = rows.map((device) => ({
    ...device,
    device,
    shown: device.serial ? showSerialName(device) : undefined,
  }))
  const chosen = chooseDevice(name, named, prefer)
  if (chosen instanceof Error) throw chosen
  return chosen.device
}

/** The error for a device that was removed after it was found. */
export const goneDevice = ({ id }: Pick<Device, 'id'>): RequestError =>
  noSuchRecord(`The device ${id} no longer exists.`, { kind: 'device', id })

async function rowsOf(text: string, devices: DeviceStore): Promise<readonly Device[]> {
  if (/[\0\p{Cs}]/u.test(text)) return []
  if (isDeviceId(text)) {
    const device = await devices.findById(text)
    return device ? [device] : []
  }
  const [brandId, model, serial, more] = text.split('/')
  if (brandId && model && serial && more === undefined) {
    return devices.findBySerial({ brandId, model, serial })
  }
  return /^[A-Za-z0-9_-]{64}$/.test(text) ? devices.list({ deviceKeyId: text, limit: KEY_ROWS }) : []
}

/** Returns the error `state-conflict`. `why` follows the device's name: ` is not pending.` */
export const deviceConflict = (device: Device, why: string): RequestError =>
  stateConflict(`${describeDevice(device)}${why}`, {
    status: device.status,
    decided_by: device.decidedBy,
    decided_at: device.decidedAt?.toISOString() ?? null,
  })

/** Returns the reason trimmed: one line of printable text. Throws `invalid-field`. */
export function checkReason(text: string): string {
  const reason = text.trim()
  const isLine = reason !== '' && [...reason].length <= 200 && !isUnprintable(reason)
  if (isLine) return reason
  throw invalidField('A reason is one line of 1 to 200 printable characters.', { field: 'reason' })
}
