/** Chooses among the devices that match one name: its holder, former holders and applicants. */
import { invalidField, noSuchRecord, type RequestError } from '../errors.ts'
import type { DeviceStatus } from './device.ts'

export interface NamedRow {
  readonly id: string
  readonly status: DeviceStatus
  /** BRAND/MODEL/SERIAL; undefined while it has no serial. */
  readonly shown: string | undefined
}

/**
 * Prefers devices with a status in `prefer`, then the one that has the serial, then the others. Returns a
 * refusal if no device or several match; the latter lists their ids.
 */
export function chooseDevice<Row extends NamedRow>(
  name: string,
  rows: readonly Row[],
  prefer: readonly DeviceStatus[],
): Row | RequestError {
  const ways = [prefer, ['active', 'revoked'], ['pending', 'rejected'], ['superseded']]
  for (const statuses of ways) {
    const [device, ...more] = rows.filter(({ status }) => statuses.includes(status))
    if (device && more.length === 0) return device
    if (device) return ambiguous(name, [device, ...more])
  }
  return noSuchDevice(name)
}

export const noSuchDevice = (name: string): RequestError =>
  noSuchRecord(
    `There is no device ${quoted(name)}. Name it by its id, by BRAND/MODEL/SERIAL or by the id of its device key, as \`ratafia devices list\` shows them.`,
    { kind: 'device', id: name },
  )

function ambiguous(name: string, rows: readonly NamedRow[]): RequestError {
  const some = rows.slice(0, 5).map((row) => `${row.id} (${row.shown ?? 'no serial yet'}, ${row.status})`)
  const more = rows.length > 5 ? ` and ${rows.length - 5} more` : ''
  return invalidField(
    `${quoted(name)} matches several devices: ${some.join(', ')}${more}. Name one by its id.`,
  )
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200))
