/**
 * `GET /v2/assertions`: the assertions that lead from a serial to a trusted root, for clients that got only
 * the serial (contract/devices.md 2.3). Serves only assertions stored here; nothing is looked up elsewhere.
 */
import { FORMAT_NUMBER } from '@ratafia/api'
import { ASSERTION_KEYS } from '@ratafia/api/schemas'
import { encode, type TypeName, type UnverifiedAssertion } from '@ratafia/assertions'
import { decodeStored, findAssertion } from '../../brands/trust/trust.ts'
import { invalidField, RequestError } from '../../errors.ts'
import type { TransactionStores } from '../../stores.ts'

export interface AssertionQuery {
  readonly type: string
  /** The values of the primary key. */
  readonly key: readonly string[]
  /** The query's `max-format`: a whole number. */
  readonly maxFormat?: string | undefined
}

/**
 * Returns the encoded assertion. Throws `invalid-field` if `maxFormat` is not a number, and `assertion-not-found`: the
 * same error for an absent assertion, a different type, a format above `maxFormat` and the serial of a device that is
 * not active.
 */
export async function findPublicAssertion(
  { type, key, maxFormat }: AssertionQuery,
  stores: TransactionStores,
): Promise<Uint8Array> {
  const format = maxFormat === undefined ? Number.POSITIVE_INFINITY : readFormat(maxFormat)
  const kind = KINDS.get(type)
  const found = kind && isKey(key, kind.keyLength) ? await kind.find(key, stores) : undefined
  if (!found || found.format > format) {
    throw new RequestError('assertion-not-found', 'This service has no such assertion.')
  }
  return encode(found)
}

type Find = (key: readonly string[], deps: TransactionStores) => Promise<UnverifiedAssertion | undefined>

const stored =
  (type: TypeName): Find =>
  (key, deps) =>
    findAssertion(type, key, deps)

/** The types that are public, with the number of values in their primary keys. */
const KINDS: ReadonlyMap<string, { readonly keyLength: number; readonly find: Find }> = new Map([
  ['account', { keyLength: ASSERTION_KEYS.account.length, find: stored('account') }],
  ['account-key', { keyLength: ASSERTION_KEYS['account-key'].length, find: stored('account-key') }],
  ['model', { keyLength: ASSERTION_KEYS.model.length, find: stored('model') }],
  ['serial', { keyLength: ASSERTION_KEYS.serial.length, find: findSerial }],
])

/** Returns the newest serial assertion of the device with this serial, if that device is active. */
async function findSerial(
  [brandId = '', model = '', serial = '']: readonly string[],
  { devices }: TransactionStores,
): Promise<UnverifiedAssertion | undefined> {
  const device = await devices.findHolder({ brandId, model, serial })
  const assertion = device?.status === 'active' ? await devices.findSerialAssertion(device) : undefined
  return assertion && decodeStored(assertion.encoded)
}

/** In characters. No register has longer serial numbers: PostgreSQL couldn't index them. */
const MAX_VALUE_LENGTH = 2048

/** Checks whether an assertion can have this key, which saves queries that can't find anything. */
const isKey = (key: readonly string[], length: number): boolean =>
  key.length === length &&
  key.every(
    (value) =>
      value !== '' &&
      value.length <= MAX_VALUE_LENGTH &&
      !value.includes('/') &&
      !value.includes('\0') &&
      value.isWellFormed(),
  )

const FORMAT = new RegExp(FORMAT_NUMBER.pattern)

function readFormat(text: string): number {
  if (FORMAT.test(text)) return Number(text)
  throw invalidField(`query/max-format ${FORMAT_NUMBER.otherwise}.`, { field: 'query/max-format' })
}
