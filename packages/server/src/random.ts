/** Random bytes for what every request needs: asking the system each time costs some 2 µs, and this 0.2. */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/**
 * `length` random bytes (at most 256) from the system's generator, for ids, nonces and salts. They are drawn in blocks,
 * as Node draws those of `randomUUID`, and wiped from the block as they are handed out. Keys that last are drawn each by
 * itself.
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
