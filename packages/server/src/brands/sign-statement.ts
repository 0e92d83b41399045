/** Signs what a brand or a root states as JSON, as `snap sign` does. */
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

/** Headers as JSON has them: text, lists and maps. */
export interface Statement {
  readonly input: SigningInput
  /** Who signs; empty if it does not say. */
  readonly authorityId: string
}

/**
 * A JSON object of headers, with `body` for the body. Without a `timestamp` it gets `now`; an account-key has none.
 * Throws `invalid-field`.
 */
export function readStatement({ name, bytes }: NamedFile, now: Date): Statement {
  const value = parse(name, bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField(`${name} is not a JSON object of headers, such as {"type": "model", …}.`)
  }
  const { type, body = '', ...given } = value as Readonly<Record<string, unknown>>
  if (typeof type !== 'string' || !isTypeName(type)) {
    throw invalidField(`${name} does not say a known "type" of assertion, such as "model".`)
  }
  if (typeof body !== 'string') throw invalidField(`The "body" in ${name} is not text.`)
  const headers = Object.fromEntries(
    Object.entries(given).map(([header, content]) => [header, headerOf(content, `"${header}" in ${name}`)]),
  )
  const stamped = type === 'account-key' ? headers : { timestamp: formatTimestamp(now), ...headers }
  const authorityId = typeof headers['authority-id'] === 'string' ? headers['authority-id'] : ''
  return { input: { type, headers: stamped, body }, authorityId }
}

/** Signs with a key that the service does not have. Nothing is verified: whoever gets the assertion does that. */
export function signWith(key: PrivateKey, { input }: Statement, now: Date): Uint8Array {
  return encode(signed(input, key, now))
}

/**
 * Signs with a stored key of the account that the statement names, and verifies the result down to a root. It may say
 * anything in the name of the brand, so only operators do it. Throws `permission-denied`, and `invalid-field` if no key of the account may sign this, or it is a serial: those are signed for devices only.
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
      `This service has no key that signs this ${input.type} assertion for ${authorityId || 'nobody: give "authority-id"'}.`,
      ...reasons,
      'Give a private key with --key.',
    ].join(' '),
  )
}

const signed = (input: SigningInput, key: PrivateKey, now: Date): UnverifiedAssertion =>
  explainToOperator(() => sign(input, key, { signedAt: now }), `The ${input.type} assertion cannot be signed`)

/** Why a device would not trust it. */
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

/** What assertions cannot say is refused with its place, not guessed: "5" and 5 are different. */
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
  throw invalidField(`${place} is ${JSON.stringify(value)}. Assertions have text: write "${value}".`)
}
