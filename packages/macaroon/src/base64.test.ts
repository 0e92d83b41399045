import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase64, encodeBase64, encodeBase64Url } from './index.ts'

const MALFORMED = {
  code: 'malformed',
  message: 'Not base64: use one alphabet (standard or URL-safe), padded or not',
}

for (const text of ['-_8=', '-_8', '+/8=', '+/8']) {
  test(`decodes ${text}`, () => assert.deepEqual(decodeBase64(text), Buffer.of(0xfb, 0xff)))
}

// Guarantee: a value has one encoding in each of the four variants, and the decoder drops nothing silently.
for (const text of [
  '-/8=',
  '+_8=',
  '+/8==',
  '+/8 ',
  '+/8\n',
  ' ',
  '!',
  'A',
  'A===',
  '=',
  'AA=',
  'AB==',
  'AAB=',
  'é',
  'A=A=',
]) {
  test(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => decodeBase64(text), MALFORMED))
}

test('encodes in standard base64 with padding, and in URL-safe base64 without', () => {
  assert.equal(encodeBase64(Buffer.of(0xfb, 0xff)), '+/8=')
  assert.equal(encodeBase64Url(Buffer.of(0xfb, 0xff)), '-_8')
  assert.deepEqual(decodeBase64(''), Buffer.of())
})
