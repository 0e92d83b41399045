/** Converts devices to rows of an exported file, for operators and auditors, and back for an import. */
import { isUtf8 } from 'node:buffer'
import { type DeviceId, isDeviceId } from '@ratafia/api'
import {
  AssertionError,
  DEFAULT_LIMITS,
  decode,
  decodeStream,
  encode,
  type UnverifiedAssertion,
} from '@ratafia/assertions'
import type { ExportRow } from '../../files/export-rows.ts'
import { ImportError, type ImportRow } from '../../files/import-rows.ts'
import { isUnprintable } from '../../text/joiners.ts'
import {
  DEVICE_ORIGINS,
  DEVICE_STATUSES,
  type Device,
  type DeviceRef,
  type SerialAssertion,
} from '../device.ts'
import { FROM_DEVICES } from '../explained.ts'
import { deviceRef } from '../new-device.ts'
import { serialAssertion } from '../serials/serial-holder.ts'
import { DEVICE_COLUMNS } from './device-columns.ts'
import type { StoredDevice } from './device-transfer-store.ts'
import { evidenceText, readEvidence } from './evidence-text.ts'

type DeviceColumn = (typeof DEVICE_COLUMNS)[number]
export type DeviceRecord = Readonly<Record<DeviceColumn, string | number | null>>

/** Columns that every row needs; the others have defaults. */
export const NEEDED_COLUMNS = ['brand_id', 'model', 'serial', 'device_key_id'] as const

/** Returns the fields of a device, which lists also show. */
export const fieldsOf = (device: Device) => ({
  id: device.id,
  brand_id: device.brandId,
  model: device.model,
  serial: device.serial || null,
  device_key_id: device.deviceKeyId,
  status: device.status,
  revision: device.revision,
  origin: device.origin,
  original: device.original,
  registered_at: device.registeredAt.toISOString(),
  decided_at: device.decidedAt?.toISOString() ?? null,
  decided_by: device.decidedBy,
  reason: device.reason,
  quarantined_at: device.quarantinedAt?.toISOString() ?? null,
  removed_at: device.removedAt?.toISOString() ?? null,
})

export function recordOf({ device, request, assertions, evidence }: StoredDevice): DeviceRecord & ExportRow {
  return {
    ...fieldsOf(device),
    request: request && textOf(request),
    assertions: assertions.length === 0 ? null : textOf(streamOf(assertions)),
    clone_evidence: evidence.length === 0 ? null : evidenceText(evidence),
  }
}

/** Marks text that is not UTF-8, because a body can contain any bytes. No assertion begins like this. */
const BASE64 = 'base64:'

const textOf = (bytes: Uint8Array): string =>
  isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : BASE64 + Buffer.from(bytes).toString('base64')

const bytesOf = (text: string): Uint8Array =>
  text.startsWith(BASE64) ? Buffer.from(text.slice(BASE64.length), 'base64') : Buffer.from(text)

/** Works like `encodeStream`, but without decoding stored assertions; the last one keeps its line end. */
function streamOf(assertions: readonly SerialAssertion[]): Uint8Array {
  return Buffer.concat(
    assertions.flatMap(({ encoded }, index) =>
      index === 0
        ? [encoded]
        : [Buffer.from(endsLine(assertions[index - 1]?.encoded) ? '\n' : '\n\n'), encoded],
    ),
  )
}

const endsLine = (bytes: Uint8Array | undefined): boolean => bytes?.at(-1) === 0x0a

export interface ReadDevice {
  readonly place: string
  readonly stored: StoredDevice
  /** The columns that the row has, with or without a value; id, times and author only if they have one. */
  readonly given: ReadonlySet<DeviceColumn>
}

/** `fallback` is for rows without an id, times and an author. Throws {@link ImportError} with the place. */
export function readRecord(
  row: ImportRow,
  fallback: { newId(): DeviceId; readonly at: Date; readonly by: string },
): ReadDevice {
  const { place, fields } = row
  const refuse: Refuse = (message, column) => {
    throw new ImportError(`${place}: ${message}`, { column })
  }
  const text = (column: DeviceColumn): string | null => {
    const value = fields[column]
    if (value === undefined || value === null || value === '') return null
    if (typeof value === 'string') return value
    return refuse(`"${column}" is not text.`, column)
  }
  const matching = (column: DeviceColumn, pattern: RegExp, what: string): string | null => {
    const value = text(column)
    return value === null || pattern.test(value) ? value : refuse(`"${column}" is not ${what}.`, column)
  }
  const line = (column: DeviceColumn): string | null => {
    const value = text(column)
    const isLine = value === null || (value !== '' && [...value].length <= MAX_LINE && !isUnprintable(value))
    return isLine ? value : refuse(`"${column}" is not one line of text.`, column)
  }
  const needed = (column: DeviceColumn, pattern: RegExp, what: string): string =>
    matching(column, pattern, what) ?? refuse(`"${column}" is missing.`, column)
  const oneOf = <Value extends string>(
    column: DeviceColumn,
    values: readonly Value[],
    otherwise: Value,
  ): Value => {
    const value = text(column)
    if (value === null) return otherwise
    return (
      values.find((one) => one === value) ?? refuse(`"${column}" is not one of ${values.join(', ')}.`, column)
    )
  }
  const instant = (column: DeviceColumn): Date | null => {
    const value = matching(column, INSTANT, 'a time such as 2026-01-31T00:00:00.000Z')
    const date = value === null ? null : new Date(value)
    return date && Number.isNaN(date.getTime()) ? refuse(`"${column}" is not a time.`, column) : date
  }

  const id = text('id') ?? fallback.newId()
  if (!isDeviceId(id) || id !== id.toLowerCase()) return refuse('"id" is not a UUID in lower case.', 'id')
  const status = oneOf('status', DEVICE_STATUSES, 'active')
  const waits = status === 'pending' || status === 'rejected'
  const name = {
    brandId: needed('brand_id', /^[A-Za-z0-9-]{2,32}$/, 'the id of an account'),
    model: needed('model', /^[A-Za-z0-9-]{1,128}$/, 'the name of a model'),
    serial: matching('serial', SERIAL, 'a serial number: up to 200 characters, without a slash') ?? '',
  }
  if (name.serial === '' && !waits)
    return refuse(`"serial" is missing, but the device is ${status}.`, 'serial')
  const deviceKeyId = needed(
    'device_key_id',
    KEY_ID,
    'the id of a key: 64 characters, as in device-key-sha3-384',
  )
  const ref = deviceRef(id, deviceKeyId)
  const assertions = serialsIn(text('assertions'), { ...name, ...ref, deviceKeyId }, refuse)
  const revision = revisionIn(fields['revision'], assertions, refuse)
  const requestText = text('request')
  if (waits && requestText === null)
    return refuse(`"request" is missing: the device is ${status}.`, 'request')
  if (!waits && requestText !== null)
    return refuse('only a pending or rejected device has a "request".', 'request')
  const request = requestText === null ? null : requestIn(requestText, { ...name, deviceKeyId }, refuse)
  const registeredAt = instant('registered_at') ?? fallback.at
  // The importing user is the decider, unless the file names one.
  const undecided = status === 'pending'
  const removedAt = instant('removed_at')
  const device: Device = {
    ...name,
    ...ref,
    deviceKeyId,
    status,
    revision,
    origin: oneOf('origin', DEVICE_ORIGINS, 'import'),
    original: line('original'),
    registeredAt,
    decidedAt: instant('decided_at') ?? (undecided ? null : registeredAt),
    decidedBy: line('decided_by') ?? (undecided ? null : fallback.by),
    reason: line('reason'),
    quarantinedAt: instant('quarantined_at'),
    ...(removedAt && { removedAt }),
  }
  const isGiven = (column: DeviceColumn) =>
    fields[column] !== undefined && (!GENERATED.has(column) || text(column) !== null)
  const given = new Set(DEVICE_COLUMNS.filter(isGiven))
  const evidenceColumn = text('clone_evidence')
  const evidence =
    evidenceColumn === null
      ? []
      : (readEvidence(evidenceColumn, ref) ??
        refuse('"clone_evidence" is not a list of evidence in the format of an export.', 'clone_evidence'))
  if (removedAt) {
    if (status !== 'revoked' && status !== 'superseded')
      return refuse(`"removed_at" is given, but the device is ${status}.`, 'removed_at')
    // Evidence can be added later: another device may request its serial number.
    const kept = ['original', 'reason', 'quarantined_at', 'assertions'] as const
    const left = kept.find((column) => text(column) !== null)
    if (left) return refuse(`"removed_at" is given, so there can be no "${left}".`, 'removed_at')
  }
  return { place, stored: { device, request, assertions, evidence }, given }
}

/** Columns that are filled in where they are blank. */
const GENERATED: ReadonlySet<DeviceColumn> = new Set(['id', 'registered_at', 'decided_at', 'decided_by'])

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/
const SERIAL = /^[^/\p{C}]{1,200}$/u
const KEY_ID = /^[A-Za-z0-9_-]{64}$/
const MAX_LINE = 500

/** Throws {@link ImportError}. */
type Refuse = (message: string, column: DeviceColumn) => never
type Owner = Pick<Device, 'brandId' | 'model' | 'serial' | 'deviceKeyId'>

function serialsIn(
  text: string | null,
  device: Owner & DeviceRef,
  refuse: Refuse,
): readonly SerialAssertion[] {
  if (text === null) return []
  const found = decoded(() => decodeStream(bytesOf(text)), 'assertions', refuse)
  const serials = found.map((one) => serialOf(one, device, refuse))
  const revisions = new Set(serials.map(({ revision }) => revision))
  if (revisions.size < serials.length)
    return refuse('"assertions" has two assertions of the same revision.', 'assertions')
  return serials.toSorted((one, other) => one.revision - other.revision)
}

function serialOf(one: UnverifiedAssertion, device: Owner & DeviceRef, refuse: Refuse): SerialAssertion {
  if (one.type !== 'serial') return refuse(`"assertions" has a ${one.type} assertion.`, 'assertions')
  const { brandId, model, serial, deviceKeyId } = one.fields
  const same = brandId === device.brandId && model === device.model && serial === device.serial
  if (!same)
    return refuse(`"assertions" has a serial of ${brandId}/${model}/${serial.slice(0, 100)}.`, 'assertions')
  if (deviceKeyId !== device.deviceKeyId)
    return refuse('"assertions" has a serial of a different device key.', 'assertions')
  if (one.authorityId === undefined)
    return refuse('"assertions" has a serial without an authority.', 'assertions')
  return serialAssertion(one, device)
}

function revisionIn(value: unknown, assertions: readonly SerialAssertion[], refuse: Refuse): number | null {
  const newest = assertions.at(-1)?.revision ?? null
  if (value === undefined || value === null || value === '') return newest
  const revision = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof revision !== 'number' || !Number.isInteger(revision) || revision < 0 || revision > 999_999_999) {
    return refuse('"revision" is not a whole number from 0 to 999999999.', 'revision')
  }
  if (newest !== null && newest > revision) {
    return refuse(`"assertions" has the revision ${newest}, but "revision" is ${revision}.`, 'assertions')
  }
  return revision
}

function requestIn(text: string, device: Owner, refuse: Refuse): Uint8Array {
  const request = decoded(() => oneFromDevice(bytesOf(text)), 'request', refuse)
  if (request.type !== 'serial-request') return refuse(`"request" is a ${request.type} assertion.`, 'request')
  const { brandId, model, deviceKeyId } = request.fields
  if (brandId !== device.brandId || model !== device.model || deviceKeyId !== device.deviceKeyId) {
    return refuse('"request" is about a different model or device key.', 'request')
  }
  return encode(request)
}

/** A device sends its request in a stream, which can have an extra newline before a signature. */
function oneFromDevice(bytes: Uint8Array): UnverifiedAssertion {
  const [one, ...more] = decodeStream(bytes, DEFAULT_LIMITS, FROM_DEVICES)
  // Throws for text that is not a single assertion.
  return one && more.length === 0 ? one : decode(bytes, DEFAULT_LIMITS, FROM_DEVICES)
}

function decoded<T>(work: () => T, column: DeviceColumn, refuse: Refuse): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof AssertionError)
      return refuse(`"${column}" cannot be read: ${error.message}.`, column)
    throw error
  }
}
