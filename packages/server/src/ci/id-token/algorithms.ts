/** The signature algorithms that are accepted, and the keys that each needs (contract/oidc.md, A17). */
import type { JsonWebKey, KeyObject } from 'node:crypto'

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
/** By the name that Node has for the curve of a key. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

/** Never `none`, and none with a shared secret. */
export const ALGORITHMS: readonly string[] = [...RSA, ...Object.values(CURVES), 'EdDSA']

/** Bits. A larger modulus makes a signature more expensive to check, so it has an upper limit. */
const RSA_MODULUS = { least: 2048, most: 8192 }
const RSA_EXPONENT = { least: 3n, most: 2n ** 32n }

/** What a key can verify: nothing, if it is of another type, or a weak one. */
export function algorithmsOf(key: KeyObject, jwk: JsonWebKey): readonly string[] {
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
