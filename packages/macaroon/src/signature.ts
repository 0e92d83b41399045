import { hmac } from './hmac.ts'

const KEY_GENERATOR = Buffer.from('macaroons-key-generator')
const ZERO_KEY = new Uint8Array(32)

/** The key derived from a root key, whatever its length. */
export function deriveKey(rootKey: Uint8Array): Buffer {
  return hmac(KEY_GENERATOR, rootKey)
}

/** The signature after a caveat was added to a macaroon that had `signature`. */
export function chain(signature: Uint8Array, caveatId: Uint8Array, verificationId?: Uint8Array): Buffer {
  if (verificationId === undefined) return hmac(signature, caveatId)
  return hmac(signature, Buffer.concat([hmac(signature, verificationId), hmac(signature, caveatId)]))
}

/** The signature of a discharge once it is bound to the final signature of its root macaroon. */
export function bound(rootSignature: Uint8Array, dischargeSignature: Uint8Array): Buffer {
  return hmac(ZERO_KEY, Buffer.concat([hmac(ZERO_KEY, rootSignature), hmac(ZERO_KEY, dischargeSignature)]))
}
