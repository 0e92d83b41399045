/** How devices are shown: rows for lists and JSON, lines for one of them. */
import type { DeviceId } from '@ratafia/api'
import {
  assertionRecord,
  deviceSessionRecord,
  evidenceRecord,
  registrationRecord,
} from '../../devices/administration/device-records.ts'
import type { DeviceDetails } from '../../devices/administration/show-device.ts'
import type { Device } from '../../devices/device.ts'
import type { RegistrationStore } from '../../devices/registration/registration-store.ts'
import { fieldsOf } from '../../devices/transfer/device-record.ts'
import { details, type Row, tableOf } from '../output.ts'
import { harmless } from '../terminal/harmless.ts'

export const DEVICE_LIST_COLUMNS = [
  'id',
  'brand_id',
  'model',
  'serial',
  'status',
  'registered_at',
  'quarantined_at',
]

/** Of devices that wait: what helps to decide. */
export const WAITING_LIST_COLUMNS = ['id', 'brand_id', 'model', 'serial', 'address', 'registered_at']

const ADDRESSES_AT_ONCE = 1000

/** Those that wait have the address they last asked from. */
export async function listRows(
  devices: readonly Device[],
  { registrations }: { readonly registrations: Pick<RegistrationStore, 'addressesOf'> },
): Promise<readonly Row[]> {
  const waiting = devices.filter(({ status }) => status === 'pending').map(({ id }) => id)
  const addresses = new Map<DeviceId, string>()
  for (let start = 0; start < waiting.length; start += ADDRESSES_AT_ONCE) {
    const some = await registrations.addressesOf(waiting.slice(start, start + ADDRESSES_AT_ONCE))
    for (const [id, address] of some) addresses.set(id, address)
  }
  return devices.map((device) => ({
    ...deviceRow(device),
    ...(device.status === 'pending' ? { address: addresses.get(device.id) ?? null } : {}),
  }))
}

export const deviceRow = (device: Device) => fieldsOf(device) satisfies Row

/** For `--json`. Assertions are texts. */
export const detailsDocument = (all: DeviceDetails) => ({
  ...deviceRow(all.device),
  assertions: all.assertions.map(assertionRecord),
  registrations: all.registrations.map(registrationRecord),
  sessions: all.sessions.map(deviceSessionRecord),
  clone_evidence: all.evidence.map(evidenceRecord),
  others: all.others.map(deviceRow),
})

/** For a person; `assertions` prints the serial assertions too. */
export function detailsText(all: DeviceDetails, assertions: boolean): string {
  const revisions = all.assertions.map(
    ({ revision, signingKeyId }) => `${revision} signed by ${signingKeyId}`,
  )
  const { registrations, sessions, evidence, others } = all
  return [
    details({ ...deviceRow(all.device), serial_assertions: revisions.join(', ') }),
    ...section('Registrations', registrations.map(registrationRecord), ['at', 'address', 'user_agent']),
    ...section('Sessions', sessions.map(deviceSessionRecord), [
      'opened_at',
      'expires_at',
      'store',
      'address',
      'user_agent',
      'chain_id',
    ]),
    ...section(
      'Evidence of a clone',
      evidence.map((one) => ({ ...evidenceRecord(one), details: detailsLine(one.details) })),
      ['kind', 'times', 'first_seen_at', 'last_seen_at', 'subject', 'details'],
    ),
    ...section('Others with this serial number', others.map(deviceRow), [
      'id',
      'status',
      'device_key_id',
      'registered_at',
      'reason',
    ]),
    ...(assertions ? all.assertions.map(({ encoded }) => `\n${assertionText(encoded)}`) : []),
  ].join('\n')
}

const detailsLine = (seen: Readonly<Record<string, string | null>>): string =>
  Object.entries(seen)
    .map(([name, value]) => `${name}=${value ?? '-'}`)
    .join(' ')

const section = (title: string, rows: readonly Row[], columns: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [`\n${title}`, tableOf(rows, columns)]

const assertionText = (encoded: Uint8Array): string =>
  Buffer.from(encoded).toString('utf8').trimEnd().split('\n').map(harmless).join('\n')
