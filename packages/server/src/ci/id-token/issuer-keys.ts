/** Reads an issuer's key set and imports the keys that verify signatures (contract/oidc.md, A17, A18). */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { invalidField } from '../../errors.ts'
import { documentIn, isObject, type JsonObject, jsonIn, objectIn } from '../../foreign-json.ts'
import type { StoredKeys } from '../issuers/keys/issuer-keys-store.ts'

/** The accepted signature algorithms, and the keys that each requires (contract/oidc.md, A17). */
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
/** The algorithm for each curve, by the curve's name in Node. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

/** Never `none`, and no algorithm with a shared secret. */
const ALGORITHMS: readonly string[] = [...RSA, ...Object.values(CURVES), 'EdDSA']

/** Bits. The upper limit is there because a larger modulus makes a signature more expensive to check. */
const RSA_MODULUS = { least: 2048, most: 8192 }
const RSA_EXPONENT = { least: 3n, most: 2n ** 32n }

/** Returns the algorithms that the key can verify; none if it has a different type or is weak. */
function algorithmsOf(key: KeyObject, jwk: JsonWebKey): readonly string[] {
  const fitting = fittingAlgorithms(key)
  return jwk['alg'] === undefined ? fitting : fitting.filter((algorithm) => algorithm === jwk['alg'])
}

function fittingAlgorithms({
  asymmetricKeyType,
  asymmetricKeyDetails: details,
}: KeyObject): readonly string[] {
  if (asymmetricKeyType === 'ed25519') return ['EdDSA']
  if (asymmetricKeyType === 'ec') {
    const algorithm = CURVES[details?.namedCurve ?? '']
    return algorithm === undefined ? [] : [algorithm]
  }
  if (asymmetricKeyType !== 'rsa') return []
  const { modulusLength = 0, publicExponent = 0n } = details ?? {}
  const fits =
    modulusLength >= RSA_MODULUS.least &&
    modulusLength <= RSA_MODULUS.most &&
    publicExponent >= RSA_EXPONENT.least &&
    publicExponent <= RSA_EXPONENT.most
  return fits ? RSA : []
}

export interface IssuerKeys {
  readonly revision: string
  /** The algorithms that a token of the issuer may be signed with. */
  readonly algorithms: readonly string[]
  readonly keys: readonly IssuerKey[]
  /** How many keys of the set cannot verify anything here, by the reason. */
  readonly leftOut: LeftOut
}

export type LeftOut = Readonly<Record<string, number>>

export interface IssuerKey {
  readonly kid: string | undefined
  /** The algorithms that the key can verify; at least one. */
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

/** How many keys a set may have. */
const MOST_KEYS = 100
const MOST_KID_CHARACTERS = 255

/**
 * Returns, in a canonical form, the keys of a JSON Web Key Set that can verify ID tokens, and how many are left out for
 * each reason: symmetric and private keys, keys for encryption, RSA keys below 2048 bits. A set without keys is valid,
 * so an issuer can withdraw all of them. Throws {@link RequestError} `invalid-field` (field `jwks`) if the text is not
 * a key set, or has over 100 keys.
 */
export function readKeySet(text: string): string {
  const set = documentIn(text)
  const given = isObject(set) ? set['keys'] : undefined
  if (!Array.isArray(given)) {
    throw badKeySet('The keys are not a JSON Web Key Set: an object with a list "keys".')
  }
  if (given.length > MOST_KEYS) throw badKeySet(`The key set has more than ${MOST_KEYS} keys.`)
  const read = given.map(publicPart)
  // Sorted, because each server of an issuer can list them in a different order.
  const keys = [
    ...new Set(read.flatMap((jwk) => (typeof jwk === 'string' ? [] : [JSON.stringify(jwk)]))),
  ].sort()
  const reasons = read.filter((jwk) => typeof jwk === 'string').sort()
  const counts = [...new Set(reasons)].map((reason) => [
    reason,
    reasons.filter((one) => one === reason).length,
  ])
  const leftOut = counts.length > 0 ? `,"left_out":${JSON.stringify(Object.fromEntries(counts))}` : ''
  return `{"keys":[${keys.join(',')}]${leftOut}}`
}

export async function importIssuerKeys({ revision, keys, algorithms }: StoredKeys): Promise<IssuerKeys> {
  const set = objectIn(keys) ?? {}
  const jwks: unknown[] = Array.isArray(set['keys']) ? set['keys'] : []
  return {
    revision,
    algorithms: allowedAlgorithms(jsonIn(algorithms)),
    keys: jwks
      .filter(isObject)
      .map(importKey)
      .filter((key) => key !== undefined),
    // The cast is safe: `readKeySet` wrote it.
    leftOut: isObject(set['left_out']) ? (set['left_out'] as LeftOut) : {},
  }
}

/** Returns a sentence about the keys that are left out; undefined if there are none. */
export function leftOutText(leftOut: LeftOut): string | undefined {
  const reasons = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`)
  return reasons.length === 0 ? undefined : `Left out of its key set: ${reasons.join(', ')}.`
}

const badKeySet = (message: string) => invalidField(message, { field: 'jwks' })

/** Returns every algorithm that we accept if the document does not name any. */
function allowedAlgorithms(named: unknown): readonly string[] {
  if (!Array.isArray(named) || named.length === 0) return ALGORITHMS
  return ALGORITHMS.filter((algorithm) => named.includes(algorithm))
}

const MEMBERS = {
  RSA: ['kty', 'kid', 'alg', 'n', 'e'],
  EC: ['kty', 'kid', 'alg', 'crv', 'x', 'y'],
  OKP: ['kty', 'kid', 'alg', 'crv', 'x'],
} as const

/** Returns the part of a key to store, or why it is left out, as words that follow a number. */
function publicPart(jwk: unknown): JsonWebKey | string {
  if (!isObject(jwk)) return 'not objects'
  const { kty, use, key_ops: operations, kid, d } = jwk
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') return 'not of the type RSA, EC or OKP'
  if (d !== undefined) return 'private'
  const signs = operations === undefined || (Array.isArray(operations) && operations.includes('verify'))
  if ((use !== undefined && use !== 'sig') || !signs) return 'not for verifying signatures'
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MOST_KID_CHARACTERS)) {
    return `with a "kid" that is not a string of up to ${MOST_KID_CHARACTERS} characters`
  }
  const members = presentMembers(jwk, MEMBERS[kty])
  if (members === undefined) return 'malformed'
  return importKey(members) === undefined
    ? 'malformed, weak, or for an algorithm that is not accepted'
    : members
}

/** Returns the members that are present; undefined if one of them is not a string. */
function presentMembers(jwk: JsonObject, names: readonly string[]): JsonWebKey | undefined {
  const members = names.map((name) => [name, jwk[name]] as const).filter(([, value]) => value !== undefined)
  return members.every(([, value]) => typeof value === 'string') ? Object.fromEntries(members) : undefined
}

/** Returns undefined for a key that cannot verify: Node refuses it, it is weak, or its `alg` does not fit its type. */
function importKey(jwk: JsonWebKey): IssuerKey | undefined {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const algorithms = algorithmsOf(key, jwk)
    const kid = jwk['kid']
    return algorithms.length === 0
      ? undefined
      : { kid: typeof kid === 'string' ? kid : undefined, algorithms, key }
  } catch {
    return undefined
  }
}
