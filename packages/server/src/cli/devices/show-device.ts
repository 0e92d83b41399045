/** The output of `ratafia devices show`: everything that the register knows about one device. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { isObject, type JsonObject, objectsIn } from '../../foreign-json.ts'
import { details, type Row, tableOf } from '../output.ts'
import { asRow } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { harmless } from '../terminal/harmless.ts'
import { findDevice } from './one-device.ts'

/** The lists of a device in the order of the output: operation, name in its answer, and name in the document. */
const PARTS = [
  [api.deviceAssertions, 'assertions', 'assertions'],
  [api.deviceRegistrations, 'registrations', 'registrations'],
  [api.deviceSessions, 'sessions', 'sessions'],
  [api.deviceEvidence, 'evidence', 'clone_evidence'],
] as const

/** Returns the document that `--json` prints, with at most `limit` items in each list. Throws as `findDevice` does. */
export async function deviceDocument(service: Service, name: string, limit: number): Promise<JsonObject> {
  const { record } = await findDevice(service, name)
  const id = String(record['id'])
  const { last_seen_at, last_address, evidence_at } = await service.recordOf(api.deviceActivity, { id })
  const parts = await Promise.all(
    PARTS.map(async ([operation, part, shown]) => {
      const answer = await service.recordOf(operation, { id, query: { limit } })
      return [shown, answer[part] ?? []] as const
    }),
  )
  const activity = { last_seen_at, last_address, evidence_at }
  return { ...record, ...activity, ...Object.fromEntries(parts), others: await othersOf(service, record) }
}

/** Returns the other devices that have, had or want the serial number. */
async function othersOf(service: Service, record: JsonObject): Promise<readonly JsonObject[]> {
  const { id, brand_id: brand, model, serial } = record
  if (typeof serial !== 'string') return []
  const query = { serial, model: `${brand}/${model}` }
  const { records } = await service.list(api.devices, 'devices', { query, most: 100 })
  return records.filter((one) => one['id'] !== id)
}

const SECTIONS = [
  ['Registrations', 'registrations', ['at', 'address', 'user_agent']],
  ['Sessions', 'sessions', ['opened_at', 'expires_at', 'store', 'address', 'user_agent', 'chain_id']],
  [
    'Evidence of a clone',
    'clone_evidence',
    ['kind', 'times', 'first_seen_at', 'last_seen_at', 'subject', 'details'],
  ],
  [
    'Other devices with this serial number',
    'others',
    ['id', 'status', 'device_key_id', 'registered_at', 'reason'],
  ],
] as const

/** Shows the document to people, with `assertions` also the serial assertions. */
export function deviceText(document: JsonObject, assertions: boolean): string {
  const own = Object.entries(document).filter(([, value]) => !Array.isArray(value))
  const signed = objectsIn(document['assertions'])
  const revisions = signed.map((one) => `${one['revision']} signed by ${one['signing_key_id']}`)
  return [
    details({ ...asRow(Object.fromEntries(own)), serial_assertions: revisions.join(', ') }),
    ...SECTIONS.flatMap(([title, name, columns]) => {
      const rows = objectsIn(document[name]).map(rowOf)
      return rows.length === 0 ? [] : [`\n${title}`, tableOf(rows, columns)]
    }),
    ...(assertions ? signed.map((one) => `\n${assertionText(String(one['assertion']))}`) : []),
  ].join('\n')
}

function rowOf(record: JsonObject): Row {
  const { details: seen } = record
  if (!isObject(seen)) return asRow(record)
  const parts = Object.entries(seen).map(([name, value]) => `${name}=${value ?? '-'}`)
  return asRow({ ...record, details: parts.join(' ') })
}

const assertionText = (text: string): string => text.trimEnd().split('\n').map(harmless).join('\n')
