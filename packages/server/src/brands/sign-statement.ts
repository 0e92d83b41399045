/** Signs JSON statements of a brand or a root, as `snap sign` does. */
import {
  AssertionError,
  encode,
  formatTimestamp,
  type HeaderInput,
  isTypeName,
  type PrivateKey,
  type SigningInput,
  sign,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import { type Authority, requireForAll } from '../authority.ts'
import { invalidField } from '../errors.ts'
import { textOr } from '../files/foreign-text.ts'
import { jsonIn } from '../foreign-json.ts'
import type { Stores } from '../stores.ts'
import { explainToOperator, type NamedFile } from './assertion-file.ts'
import { openPrivateKey } from './keys/signing-key-secret.ts'
import { trustContext } from './trust/trust.ts'

/** Headers as JSON contains them: text, lists and maps. */
export interface Statement {
  readonly input: SigningInput
  /** The signing account; empty if the statement names none. */
  readonly authorityId: string
}

/**
 * Reads a JSON object of headers, with `body` for the body. Adds a `timestamp` of `now` if it is missing, except to an
 * account-key, which does not have one. Throws `invalid-field`.
 */
export function readStatement({ name, bytes }: NamedFile, now: Date): Statement {
  const value = parse(name, bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField(`${name} is not a JSON object of headers, such as {"type": "model", …}.`)
  }
  const { type, body = '', ...given } = value as Readonly<Record<string, unknown>>
  if (typeof type !== 'string' || !isTypeName(type)) {
    throw invalidField(`${name} has no known "type" of assertion, such as "model".`)
  }
  if (typeof body !== 'string') throw invalidField(`The "body" in ${name} is not text.`)
  const headers = Object.fromEntries(
    Object.entries(given).map(([header, content]) => [header, headerOf(content, `"${header}" in ${name}`)]),
  )
  const stamped = type === 'account-key' ? headers : { timestamp: formatTimestamp(now), ...headers }
  const authorityId = typeof headers['authority-id'] === 'string' ? headers['authority-id'] : ''
  return { input: { type, headers: stamped, body }, authorityId }
}

/** Signs with a key that the service doesn't have. Nothing is verified here, only by recipients of the assertion. */
export function signWith(key: PrivateKey, { input }: Statement, now: Date): Uint8Array {
  return encode(signed(input, key, now))
}

/**
 * Signs with a stored key of the account that the statement names, and verifies the result up to a root. A statement
 * can assert anything in the brand's name, so only operators can sign one. Throws `permission-denied`, and
 * `invalid-field` if no key of the account can sign it, or if it is a serial: those are signed only for devices.
 */
export async function signWithStoredKey(
  { statement, authority }: { readonly statement: Statement; readonly authority: Authority },
  stores: Stores,
): Promise<Uint8Array> {
  requireForAll(authority, 'roles:manage')
  const { input, authorityId } = statement
  if (input.type === 'serial') {
    throw invalidField('Serials are signed when a device registers, so that each is given once.')
  }
  const now = stores.clock()
  const reasons: string[] = []
  for (const stored of await stores.brands.keys(authorityId)) {
    if (stored.disabledAt !== null) continue
    const assertion = signed(input, openPrivateKey(stored, stores.sealer), now)
    const fault = await faultOf(assertion, stores)
    if (fault !== undefined) {
      reasons.push(`The key ${stored.keyId} does not: ${fault}.`)
      continue
    }
    await stores.changeBy(authority.author)(({ record }) => {
      const subject = `${input.type}/${assertion.primaryKey.join('/')}`
      return record({ action: 'assertion.sign', subject, details: { key: stored.keyId } })
    })
    return encode(assertion)
  }
  throw invalidField(
    [
      `This service has no key that signs this ${input.type} assertion for ${authorityId || 'an unnamed authority: give "authority-id"'}.`,
      ...reasons,
      'Pass a private key with --key.',
    ].join(' '),
  )
}

const signed = (input: SigningInput, key: PrivateKey, now: Date): UnverifiedAssertion =>
  explainToOperator(() => sign(input, key, { signedAt: now }), `The ${input.type} assertion cannot be signed`)

/** Returns why a device would not trust it; undefined if it would. */
async function faultOf(assertion: UnverifiedAssertion, stores: Stores): Promise<string | undefined> {
  try {
    await verifyTrust(assertion, await trustContext(stores))
    return undefined
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
}

function parse(name: string, bytes: Uint8Array): unknown {
  const value = jsonIn(textOr(bytes, (fault) => invalidField(`${name} ${fault}`)))
  if (value === undefined) throw invalidField(`${name} is not JSON.`)
  return value
}

/** Refuses values that assertions can't contain, with their place, instead of guessing: "5" and 5 are different. */
function headerOf(value: unknown, place: string): HeaderInput {
  if (value === null) return null
  if (typeof value === 'string') {
    if (value.isWellFormed()) return value
    throw invalidField(`${place} is not text: it has half of a surrogate pair.`)
  }
  if (Array.isArray(value)) return value.map((item, at) => headerOf(item, `item ${at + 1} of ${place}`))
  if (typeof value === 'object') {
    return new Map(
      Object.entries(value).map(([name, inner]) => [name, headerOf(inner, `"${name}" of ${place}`)]),
    )
  }
  throw invalidField(`${place} is ${JSON.stringify(value)}. Assertions contain only text: write "${value}".`)
}
