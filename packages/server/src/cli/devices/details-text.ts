/** Shows the details of one device to people, from the document that `--json` prints. */
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { details, type Row, tableOf } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import { harmless } from '../terminal/harmless.ts'

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

/** Returns the details, with `assertions` also the serial assertions. */
export function detailsText(document: JsonObject, assertions: boolean): string {
  const own = Object.entries(document).filter(([, value]) => !Array.isArray(value))
  const signed = listIn(document, 'assertions')
  const revisions = signed.map((one) => `${one['revision']} signed by ${one['signing_key_id']}`)
  return [
    details({ ...asRow(Object.fromEntries(own)), serial_assertions: revisions.join(', ') }),
    ...SECTIONS.flatMap(([title, name, columns]) =>
      section(title, listIn(document, name).map(rowOf), columns),
    ),
    ...(assertions ? signed.map((one) => `\n${assertionText(String(one['assertion']))}`) : []),
  ].join('\n')
}

const listIn = (document: JsonObject, name: string): readonly JsonObject[] => {
  const list = document[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

const rowOf = (record: JsonObject): Row => {
  const { details: seen } = record
  return asRow(isObject(seen) ? { ...record, details: detailsLine(seen) } : record)
}

const detailsLine = (seen: JsonObject): string =>
  Object.entries(seen)
    .map(([name, value]) => `${name}=${value ?? '-'}`)
    .join(' ')

const section = (title: string, rows: readonly Row[], columns: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [`\n${title}`, tableOf(rows, columns)]

const assertionText = (text: string): string => text.trimEnd().split('\n').map(harmless).join('\n')
