/** The keys of an issuer: from its key set to what verifies a signature (contract/oidc.md, A17, A18). */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { invalidField } from '../../errors.ts'
import { isObject, jsonIn } from '../../foreign-json.ts'
import type { StoredKeys } from '../issuers/keys/issuer-keys-store.ts'
import { ALGORITHMS, algorithmsOf } from './algorithms.ts'

export interface IssuerKeys {
  readonly revision: string
  /** That a token of the issuer may be signed with. */
  readonly algorithms: readonly string[]
  readonly keys: readonly IssuerKey[]
}

export interface IssuerKey {
  readonly kid: string | undefined
  /** That the key can verify; at least one. */
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

/** How many keys a set may have. */
const MOST_KEYS = 100
const MOST_KID_CHARACTERS = 255

/**
 * The keys of a JSON Web Key Set that can verify ID tokens, always written alike. The others are left out: symmetric and
 * private ones, those for encryption, RSA below 2048 bits. No key is left of a set without any, so that an issuer can
 * withdraw all. Throws {@link RequestError} `invalid-field` (field `jwks`): not a key set, or over 100 keys.
 */
export function readKeySet(text: string): string {
  const set = jsonIn(text)
  const given = isObject(set) ? set['keys'] : undefined
  if (!Array.isArray(given)) {
    throw badKeySet('The keys are not a JSON Web Key Set: an object with a list "keys".')
  }
  if (given.length > MOST_KEYS) throw badKeySet(`The key set has more than ${MOST_KEYS} keys.`)
  const usable = given
    .filter(isObject)
    .map(publicPart)
    .filter((jwk) => jwk !== undefined && importKey(jwk) !== undefined)
  // Sorted: each server of an issuer may list them in another order.
  const keys = [...new Set(usable.map((jwk) => JSON.stringify(jwk)))].sort()
  return `{"keys":[${keys.join(',')}]}`
}

export async function importIssuerKeys({ revision, keys, algorithms }: StoredKeys): Promise<IssuerKeys> {
  const set = jsonIn(keys)
  const jwks: unknown[] = isObject(set) && Array.isArray(set['keys']) ? set['keys'] : []
  return {
    revision,
    algorithms: allowedAlgorithms(jsonIn(algorithms)),
    keys: jwks
      .filter(isObject)
      .map(importKey)
      .filter((key) => key !== undefined),
  }
}

const badKeySet = (message: string) => invalidField(message, { field: 'jwks' })

/** All that we accept, when the document names none. */
function allowedAlgorithms(named: unknown): readonly string[] {
  if (!Array.isArray(named) || named.length === 0) return ALGORITHMS
  return ALGORITHMS.filter((algorithm) => named.includes(algorithm))
}

const MEMBERS = {
  RSA: ['kty', 'kid', 'alg', 'n', 'e'],
  EC: ['kty', 'kid', 'alg', 'crv', 'x', 'y'],
  OKP: ['kty', 'kid', 'alg', 'crv', 'x'],
} as const

/** Undefined for a key that must not be used. A private key that was published is not private any more. */
function publicPart(jwk: Readonly<Record<string, unknown>>): JsonWebKey | undefined {
  const { kty, use, key_ops: operations, kid, d } = jwk
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') return undefined
  if (d !== undefined || (use !== undefined && use !== 'sig')) return undefined
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return undefined
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MOST_KID_CHARACTERS)) return undefined
  const members = MEMBERS[kty].map((name) => [name, jwk[name]] as const)
  return members.every(([, value]) => value === undefined || typeof value === 'string')
    ? Object.fromEntries(members.filter(([, value]) => value !== undefined))
    : undefined
}

/** Undefined for one that verifies nothing: Node refuses it, it is weak, or its `alg` is not of its type. */
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
