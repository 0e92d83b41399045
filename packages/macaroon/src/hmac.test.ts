import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hmac } from './hmac.ts'

for (const keyLength of [0, 1, 24, 32, 63, 64, 65, 200]) {
  test(`computes the same HMAC as createHmac with a key of ${keyLength} bytes`, () => {
    for (const length of [0, 1, 32, 64, 1000, 1024, 1025, 5000]) {
      const key = randomBytes(keyLength)
      const message = randomBytes(length)
      assert.deepEqual(hmac(key, message), createHmac('sha256', key).update(message).digest())
    }
  })
}

test('an HMAC does not depend on earlier ones of other lengths', () => {
  const expected = (key: Uint8Array, message: Uint8Array) =>
    createHmac('sha256', key).update(message).digest()
  const [long, short] = [randomBytes(64), randomBytes(3)]
  for (const key of [long, short, long, randomBytes(32), short]) {
    for (const message of [randomBytes(900), Buffer.of(), randomBytes(2000), Buffer.of(7)]) {
      assert.deepEqual(hmac(key, message), expected(key, message))
    }
  }
})

test('an HMAC can overwrite its key', () => {
  const key = randomBytes(32)
  const expected = createHmac('sha256', key).update('a').digest()
  assert.equal(hmac(key, Buffer.from('a'), key), key)
  assert.deepEqual(key, expected)
})
