/** Finds the one device that an operator names by its id, by BRAND/MODEL/SERIAL, or by its device key. */
import { isDeviceId } from '@ratafia/api'
import type { Changing } from '../change.ts'
import type { Clock } from '../clock.ts'
import { invalidField, type RequestError } from '../errors.ts'
import { type Device, type DeviceStatus, showSerialName } from './device.ts'
import type { DeviceStore } from './device-store.ts'

/** What an operator who looks up the device and decides about it needs. */
export interface DecideDeps {
  readonly devices: DeviceStore
  readonly change: Changing<{ readonly devices: DeviceStore }>
  readonly clock: Clock
}

/** Who decides what about which device. */
export interface OperatorDecision {
  /** As {@link findDevice} takes it. */
  readonly name: string
  readonly by: string
}

/** More rows of one key than anyone reads. */
const KEY_ROWS = 20

/**
 * A serial number or a key may have several rows: holder, former holders and applicants. Devices with a status in
 * `prefer` come first (the command can do something about those), then the one that has the serial, then the others.
 * Throws {@link RequestError} `invalid-field` if there is none, or several, with their ids.
 */
export async function findDevice(
  text: string,
  prefer: readonly DeviceStatus[],
  { devices }: { readonly devices: DeviceStore },
): Promise<Device> {
  const rows = await rowsOf(text, devices)
  const ways = [prefer, ['active', 'revoked'], ['pending', 'rejected'], ['superseded']]
  for (const statuses of ways) {
    const [device, ...more] = rows.filter(({ status }) => statuses.includes(status))
    if (device && more.length === 0) return device
    if (device) throw ambiguous(text, [device, ...more])
  }
  throw invalidField(
    `There is no device ${shown(text)}. Name it by its id, by BRAND/MODEL/SERIAL or by the id of its device key, as \`ratafia devices list\` shows them.`,
  )
}

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

function ambiguous(text: string, rows: readonly Device[]): RequestError {
  const some = rows
    .slice(0, 5)
    .map((row) => `${row.id} (${row.serial ? showSerialName(row) : 'no serial yet'}, ${row.status})`)
  const more = rows.length > 5 ? ` and ${rows.length - 5} more` : ''
  return invalidField(
    `${shown(text)} matches several devices: ${some.join(', ')}${more}. Name one by its id.`,
  )
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 200))
