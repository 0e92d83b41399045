import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketOf } from './bucket.ts'

test("the bucket is the first ten bits of the digest in a key's id", () => {
  for (const [first, second, bucket] of [
    [0x00, 0x00, 0],
    [0x00, 0x3f, 0],
    [0x00, 0x40, 1],
    [0x01, 0x00, 4],
    [0xff, 0xbf, 1022],
    [0xff, 0xff, 1023],
  ] as const) {
    const digest = Buffer.alloc(48, 0x55)
    digest[0] = first
    digest[1] = second
    assert.equal(bucketOf(digest.toString('base64url')), bucket)
  }
})
