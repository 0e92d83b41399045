import { timingSafeEqual } from 'node:crypto'
import { poly1305 } from '@noble/ciphers/_poly1305.js'
import { xsalsa20, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

export const NONCE_BYTES = 24
export const TAG_BYTES = 16
/** The keystream begins with the key of the tag. */
const TAG_KEY_BYTES = 32

/** NaCl `secretbox`: tag, then ciphertext. `key` is 32 bytes, `nonce` 24. */
export function seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return xsalsa20poly1305(key, nonce).encrypt(plaintext)
}

/**
 * The plaintext, or undefined when the box was not made with this key and nonce, or was changed. The library's own
 * `decrypt` makes the keystream twice, once for the key of the tag, and throws for a wrong tag: 4.3 instead of 2.6 µs.
 */
export function open(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Uint8Array | undefined {
  if (box.length < TAG_BYTES) return undefined
  const ciphertext = box.subarray(TAG_BYTES)
  const stream = new Uint8Array(TAG_KEY_BYTES + ciphertext.length)
  stream.set(ciphertext, TAG_KEY_BYTES)
  xsalsa20(key, nonce, stream, stream)
  const tag = poly1305(ciphertext, stream.subarray(0, TAG_KEY_BYTES))
  stream.fill(0, 0, TAG_KEY_BYTES)
  // Nobody gets the plaintext unless its tag is good.
  return timingSafeEqual(tag, box.subarray(0, TAG_BYTES)) ? stream.subarray(TAG_KEY_BYTES) : undefined
}
