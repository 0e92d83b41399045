import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

export const NONCE_BYTES = 24
export const TAG_BYTES = 16

/** NaCl `secretbox`: tag, then ciphertext. `key` is 32 bytes, `nonce` 24. */
export function seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return xsalsa20poly1305(key, nonce).encrypt(plaintext)
}

/** The plaintext, or undefined when the box was not made with this key and nonce, or was changed. */
export function open(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Uint8Array | undefined {
  if (box.length < TAG_BYTES) return undefined
  try {
    return xsalsa20poly1305(key, nonce).decrypt(box)
  } catch (error) {
    // The library says no more of a wrong tag; everything else is a mistake in the arguments.
    if (error instanceof Error && error.message === 'invalid tag') return undefined
    throw error
  }
}
