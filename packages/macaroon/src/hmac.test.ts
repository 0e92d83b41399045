import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hmac } from './hmac.ts'

for (const keyLength of [0, 1, 24, 32, 63, 64, 65, 200]) {
  test(`HMAC under a key of ${keyLength} bytes is that of createHmac`, () => {
    for (const length of [0, 1, 32, 64, 1000]) {
      const key = randomBytes(keyLength)
      const message = randomBytes(length)
      assert.deepEqual(hmac(key, message), createHmac('sha256', key).update(message).digest())
    }
  })
}
