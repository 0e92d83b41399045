/** Random bytes that every request needs: asking the system each time costs about 2 µs, and this costs 0.2. */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/**
 * Returns `length` random bytes (at most 256) from the system's generator, for ids, nonces and salts. They
 * are drawn in blocks, as Node does for `randomUUID`, and wiped from the block when they are handed out.
 * Long-lived keys are drawn individually instead.
 */
export function randomId(length: number): Buffer {
  if (length > 256) throw new TypeError(`At most 256 bytes at a time, not ${length}.`)
  if (used + length > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = Buffer.from(pool.subarray(used, used + length))
  pool.fill(0, used, used + length)
  used += length
  return bytes
}
