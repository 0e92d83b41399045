import { hash } from 'node:crypto'

const BLOCK_BYTES = 64

/**
 * Derives a key for one use: HMAC-SHA256(secret, label | 0 | each part). `secret` is at most 64 bytes. Labels are
 * constants without zero bytes, so no two uses share a message. Two one-shot hashes are much faster than `createHmac`,
 * and this runs for every request that presents a token.
 */
export function deriveKey(secret: Uint8Array, label: string, ...parts: readonly Uint8Array[]): Buffer {
  if (secret.length > BLOCK_BYTES) throw new TypeError(`A secret of ${secret.length} bytes is too long.`)
  const message = [Buffer.from(`${label}\0`, 'utf8'), ...parts]
  const inner = hash('sha256', Buffer.concat([padded(secret, 0x36), ...message]), 'buffer')
  return hash('sha256', Buffer.concat([padded(secret, 0x5c), inner]), 'buffer')
}

function padded(secret: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad)
  for (const [index, byte] of secret.entries()) block[index] = byte ^ pad
  return block
}
