/** Finds the one device that an operator means: by id, by BRAND/MODEL/SERIAL, or by its device key. */
import { isDeviceId } from '@ratafia/api'
import { RequestError } from '../errors.ts'
import { type Device, type DeviceStatus, showSerialName } from './device.ts'
import type { DeviceStore } from './device-store.ts'

export interface FindDeviceDeps {
  readonly devices: Pick<DeviceStore, 'findById' | 'findBySerial' | 'list'>
}

/** More rows of one key than anybody reads. */
const KEY_ROWS = 20

/**
 * A serial number and a key may have several rows: who had it, who asks for it. `prefer` says which of them is meant
 * (those of which there is something to do), else it is the one that holds the serial, else the only one. Throws
 * {@link RequestError} `invalid-field` when there is none, or several that may be meant, with their ids.
 */
export async function findDevice(
  text: string,
  prefer: readonly DeviceStatus[],
  { devices }: FindDeviceDeps,
): Promise<Device> {
  const rows = await rowsOf(text, devices)
  const ways = [prefer, ['active', 'revoked'], ['pending', 'rejected'], ['superseded']]
  for (const statuses of ways) {
    const [device, ...more] = rows.filter(({ status }) => statuses.includes(status))
    if (device && more.length === 0) return device
    if (device) throw ambiguous(text, [device, ...more])
  }
  throw refused(
    `There is no device ${shown(text)}. Name it by its id, by BRAND/MODEL/SERIAL or by the id of its device key, as \`ratafia devices list\` shows them.`,
  )
}

async function rowsOf(text: string, devices: FindDeviceDeps['devices']): Promise<readonly Device[]> {
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
  return refused(`${shown(text)} may be several devices: ${some.join(', ')}${more}. Name one by its id.`)
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 200))

const refused = (message: string): RequestError => new RequestError('invalid-field', message)
