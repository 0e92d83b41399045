import { hash } from 'node:crypto'

const BLOCK = 64
const DIGEST = 32

// What is hashed: the padded key, then the message or the inner digest. Reused, since nothing here waits: a new buffer
// would cost 0.07 µs each time.
const inner = Buffer.alloc(BLOCK + 1024)
const outer = Buffer.alloc(BLOCK + DIGEST)

/**
 * HMAC-SHA256 in 32 bytes, written to `into`, which may be `key`. Two calls of the one-shot `crypto.hash` take 0.9 µs
 * for messages as short as caveats, `createHmac` 14 µs. The digests come as Latin-1: as buffers each takes 0.6 µs more.
 */
export function hmac(
  key: Uint8Array,
  message: Uint8Array,
  into: Buffer = Buffer.allocUnsafe(DIGEST),
): Buffer {
  const blockKey = key.length > BLOCK ? hash('sha256', key, 'buffer') : key
  const length = BLOCK + message.length
  const first = length > inner.length ? Buffer.allocUnsafe(length) : inner
  for (let i = 0; i < blockKey.length; i++) {
    const byte = blockKey[i] as number
    first[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  for (let i = blockKey.length; i < BLOCK; i++) {
    first[i] = 0x36
    outer[i] = 0x5c
  }
  first.set(message, BLOCK)
  outer.write(hash('sha256', first.subarray(0, length), 'binary'), BLOCK, 'latin1')
  into.write(hash('sha256', outer, 'binary'), 0, 'latin1')
  return into
}
