import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject, randomBytes } from 'node:crypto'
import { decodeBase64 } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import { BakeryError } from './errors.ts'

/** A Curve25519 key pair of a service that adds or discharges caveats; 32 bytes each. */
export interface KeyPair {
  readonly publicKey: Uint8Array
  readonly privateKey: Uint8Array
}

export const KEY_BYTES = 32

/** A new random key pair. */
export function generateKeyPair(): KeyPair {
  return keyPairFromPrivateKey(randomBytes(KEY_BYTES))
}

/** The key pair that belongs to a private key. Throws `TypeError` unless it is 32 bytes. */
export function keyPairFromPrivateKey(privateKey: Uint8Array): KeyPair {
  const { x } = createPublicKey(privateKeyObject(privateKey)).export({ format: 'jwk' })
  return {
    privateKey: Buffer.from(privateKey),
    publicKey: Buffer.from(x as string, 'base64url'),
  }
}

/**
 * Reads a key as text: base64 of 32 bytes in any of its four variants. Written with `encodeBase64`.
 * Throws {@link BakeryError} `malformed`.
 */
export function decodeKey(text: string): Uint8Array {
  try {
    const key = decodeBase64(text)
    if (key.length === KEY_BYTES) return key
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
  }
  throw new BakeryError('malformed', 'Not a Curve25519 key: base64 of 32 bytes is expected')
}

/**
 * Reads the public key of another party, as {@link decodeKey} does. Throws {@link BakeryError} `malformed` for points
 * of low order too: anyone would know the secret shared with them.
 */
export function decodePublicKey(text: string): Uint8Array {
  const key = decodeKey(text)
  try {
    diffieHellman({ privateKey: PROBE, publicKey: publicKeyObject(key) })
  } catch (cause) {
    throw new BakeryError('malformed', 'Not a usable Curve25519 public key: it has a low order', { cause })
  }
  return key
}

// Node takes keys in DER only; in front of the 32 bytes it is always the same.
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex')

export function privateKeyObject(privateKey: Uint8Array): KeyObject {
  checkKeyLength(privateKey)
  return createPrivateKey({ key: Buffer.concat([PRIVATE_DER, privateKey]), format: 'der', type: 'pkcs8' })
}

export function publicKeyObject(publicKey: Uint8Array): KeyObject {
  checkKeyLength(publicKey)
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), format: 'der', type: 'spki' })
}

function checkKeyLength(key: Uint8Array): void {
  if (key.length !== KEY_BYTES)
    throw new TypeError(`A Curve25519 key is ${KEY_BYTES} bytes, not ${key.length}`)
}

/** Any private key shows a point of low order. */
const PROBE = privateKeyObject(Buffer.alloc(KEY_BYTES, 1))
