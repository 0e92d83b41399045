import { hmac } from './hmac.ts'

const KEY_GENERATOR = Buffer.from('macaroons-key-generator')
const ZERO_KEY = new Uint8Array(32)

/** The key derived from a root key, whatever its length. */
export function deriveKey(rootKey: Uint8Array): Buffer {
  return hmac(KEY_GENERATOR, rootKey)
}

/** The signature after a caveat was added to a macaroon that had `signature`; written to `into`, which may be that. */
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
 * The signature of a discharge once it is bound to the final signature of its root macaroon; written to `into`, which
 * may be that of the discharge.
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
