import { hmac } from './hmac.ts'

const KEY_GENERATOR = Buffer.from('macaroons-key-generator')
const ZERO_KEY = new Uint8Array(32)

/** Derives a key from a root key of any length. */
export function deriveKey(rootKey: Uint8Array): Buffer {
  return hmac(KEY_GENERATOR, rootKey)
}

/** Computes the signature after adding a caveat. `signature` is the previous one, and `into` can be the same buffer. */
export function chain(
  signature: Uint8Array,
  caveatId: Uint8Array,
  verificationId: Uint8Array | undefined,
  into?: Buffer,
): Buffer {
  if (verificationId === undefined) return hmac(signature, caveatId, into)
  return hmacOfTwo(signature, verificationId, caveatId, into)
}

/**
 * Computes the signature of a discharge that is bound to the final signature of its root macaroon. `into` can be the
 * discharge's signature.
 */
export function bound(rootSignature: Uint8Array, dischargeSignature: Uint8Array, into?: Buffer): Buffer {
  return hmacOfTwo(ZERO_KEY, rootSignature, dischargeSignature, into)
}

function hmacOfTwo(key: Uint8Array, first: Uint8Array, second: Uint8Array, into?: Buffer): Buffer {
  const both = Buffer.allocUnsafe(64)
  hmac(key, first, both.subarray(0, 32))
  hmac(key, second, both.subarray(32))
  return hmac(key, both, into)
}
