import { hmac } from '@ratafia/macaroon'

const MOST_SECRET_BYTES = 64

/**
 * Derives a key for one use: HMAC-SHA256(secret, label | 0 | each part). `secret` is at most 64 bytes. Labels are
 * constants without zero bytes, so no two uses share a message. Throws `TypeError` for a longer secret.
 */
export function deriveKey(secret: Uint8Array, label: string, ...parts: readonly Uint8Array[]): Buffer {
  if (secret.length > MOST_SECRET_BYTES)
    throw new TypeError(`A secret of ${secret.length} bytes is too long.`)
  return hmac(secret, Buffer.concat([labelBytes(label), ...parts]))
}

/** The bytes of labels used so far; there are a dozen. */
const known = new Map<string, Uint8Array>()

function labelBytes(label: string): Uint8Array {
  const before = known.get(label)
  if (before) return before
  const bytes = Buffer.from(`${label}\0`, 'utf8')
  known.set(label, bytes)
  return bytes
}
