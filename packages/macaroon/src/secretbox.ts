import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

export const NONCE_BYTES = 24
export const TAG_BYTES = 16

/** Seals a NaCl `secretbox`: a tag, then the ciphertext. `key` has 32 bytes, `nonce` 24. */
export function seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return xsalsa20poly1305(key, nonce).encrypt(plaintext)
}

/** Returns the plaintext, or undefined if the box was sealed with a different key or nonce, or was changed. */
export function open(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Uint8Array | undefined {
  if (box.length < TAG_BYTES) return undefined
  try {
    return xsalsa20poly1305(key, nonce).decrypt(box)
  } catch (error) {
    // The library's only error for a wrong tag; all others are mistakes in the arguments.
    if (error instanceof Error && error.message === 'invalid tag') return undefined
    throw error
  }
}
