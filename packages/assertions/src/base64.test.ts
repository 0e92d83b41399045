import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase64, encodeBase64 } from './base64.ts'

const decode = (text: string) => decodeBase64(text, 'it', 'malformed-key').toString('latin1')

for (const [text, bytes] of [
  ['', ''],
  ['YQ==', 'a'],
  ['YWI=', 'ab'],
  ['YWJj', 'abc'],
  ['Y\nW\r\nJj\n', 'abc'],
  ['YQ=\n=\n', 'a'],
] as const) {
  test(`decodes ${JSON.stringify(text)} and skips its newlines`, () => {
    assert.equal(decode(text), bytes)
  })
}

// Guarantee: unlike Buffer.from, the decoder drops nothing silently.
for (const [text, at] of [
  ['!', 0],
  ['YWJj!', 4],
  ['YW Jj', 2],
  ['YWJ-', 3],
  ['YWJ_', 3],
  ['YWé=', 2],
  ['YWJ', 0],
  ['YW', 0],
  ['YWJjY', 4],
  ['YWJjY==', 5],
  ['YWJjY=', 5],
  ['YQ=', 2],
  ['YQ===', 2],
  ['=', 0],
  ['YWJj=', 4],
  ['YQ==YQ==', 2],
  ['YQ==\u0000', 2],
] as const) {
  test(`refuses ${JSON.stringify(text)} and reports the position`, () => {
    assert.throws(() => decode(text), {
      code: 'malformed-key',
      message: `it is not base64: wrong character or padding at byte ${at}`,
    })
  })
}

test('writes lines of 76 characters, without a newline at the end', () => {
  assert.equal(encodeBase64(Buffer.alloc(60)), `${'A'.repeat(76)}\nAAAA`)
  assert.equal(encodeBase64(Buffer.alloc(57)), 'A'.repeat(76))
})
