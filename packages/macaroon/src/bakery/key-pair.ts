import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject, randomBytes } from 'node:crypto'
import { decodeBase64 } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import { BakeryError } from './errors.ts'

/** A Curve25519 key pair of a service that adds or discharges caveats. Each key has 32 bytes. */
export interface KeyPair {
  readonly publicKey: Uint8Array
  readonly privateKey: Uint8Array
}

export const KEY_BYTES = 32

/** Generates a random key pair. */
export function generateKeyPair(): KeyPair {
  return keyPairFromPrivateKey(randomBytes(KEY_BYTES))
}

/** Returns the key pair of a private key. Throws `TypeError` unless it has 32 bytes. */
export function keyPairFromPrivateKey(privateKey: Uint8Array): KeyPair {
  const { x } = createPublicKey(privateKeyObject(privateKey)).export({ format: 'jwk' })
  return {
    privateKey: Buffer.from(privateKey),
    publicKey: Buffer.from(x as string, 'base64url'),
  }
}

/**
 * Reads a key from base64 of 32 bytes, in any of its four variants. To write one, use `encodeBase64`.
 * Throws {@link BakeryError} `malformed`.
 */
export function decodeKey(text: string): Uint8Array {
  try {
    const key = decodeBase64(text)
    if (key.length === KEY_BYTES) return key
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
  }
  throw new BakeryError('malformed', 'Not a Curve25519 key: expected base64 of 32 bytes')
}

/**
 * Reads another party's public key, like {@link decodeKey}. Also throws {@link BakeryError} `malformed` for points of
 * low order, because anyone would know the secret shared with them.
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

// Node accepts keys in DER only. The bytes before the 32 of the key are constant.
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

/** A private key to detect points of low order; any key does. */
const PROBE = privateKeyObject(Buffer.alloc(KEY_BYTES, 1))
