import { createPrivateKey, type KeyObject } from 'node:crypto'
import { AssertionError } from '../errors.ts'
import { type PublicKey, publicKeyFromKeyObject } from './public-key.ts'

/**
 * An RSA key that signs. Logging it or converting it to JSON shows no secret, because Node hides it in the KeyObject.
 */
export interface PrivateKey {
  readonly publicKey: PublicKey
  readonly keyObject: KeyObject
}

/**
 * Reads a PEM private key: PKCS#8, encrypted with a passphrase or not, or PKCS#1. Does not read armored PGP.
 * Throws {@link AssertionError} `malformed-key` or `unsupported-key`; no message contains a part of the key.
 */
export function privateKeyFromPem(pem: string | Uint8Array, passphrase?: string): PrivateKey {
  return privateKeyFromKeyObject(importPem(pem, passphrase))
}

/** Wraps a private key of `node:crypto`. Throws {@link AssertionError} `unsupported-key` unless it is RSA. */
export function privateKeyFromKeyObject(keyObject: KeyObject): PrivateKey {
  if (keyObject.type !== 'private') {
    throw new AssertionError(
      'malformed-key',
      'not a private key: assertions are signed with the private half',
    )
  }
  return { publicKey: publicKeyFromKeyObject(keyObject), keyObject }
}

function importPem(pem: string | Uint8Array, passphrase: string | undefined): KeyObject {
  const key = typeof pem === 'string' ? pem : Buffer.from(pem)
  try {
    return createPrivateKey(passphrase === undefined ? { key } : { key, passphrase })
  } catch {
    // OpenSSL's message only names what it tried, and no part of the input may appear in ours.
    const advice = passphrase === undefined ? 'is it encrypted?' : 'is the passphrase right?'
    throw new AssertionError('malformed-key', `not a readable PEM private key; ${advice}`)
  }
}
