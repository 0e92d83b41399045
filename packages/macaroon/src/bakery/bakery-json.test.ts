import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodeBakeryMacaroon,
  decodeKey,
  encodeBakeryMacaroon,
  formatNamespace,
  keyPairFromPrivateKey,
  mintBakeryMacaroon,
  parseNamespace,
  STANDARD_NAMESPACE,
} from './index.ts'

const bakery = mintBakeryMacaroon({ rootKey: Buffer.alloc(32, 1), id: 'id', version: 3 })
const json = encodeBakeryMacaroon(bakery) as { m: object }

test('the wrapper always has a namespace, which a real client needs, and never an empty cdata', () => {
  assert.deepEqual({ ...json, m: undefined }, { m: undefined, v: 3, ns: 'std:' })
})

test('reads a missing or null namespace as the standard one', () => {
  for (const ns of [undefined, null]) {
    assert.deepEqual(decodeBakeryMacaroon({ ...json, ns }).namespace, STANDARD_NAMESPACE)
  }
})

for (const [what, value, code] of [
  ['v 2', { ...json, v: 2 }, 'unsupported-version'],
  ['v as text', { ...json, v: '3' }, 'unsupported-version'],
  ['no v', { m: json.m }, 'unsupported-version'],
  [
    'a version 1 macaroon in it',
    { ...json, m: { identifier: 'i', signature: '00'.repeat(32) } },
    'malformed',
  ],
  ['another wrapper in it', { ...json, m: json }, 'malformed'],
  ['a namespace that is an object', { ...json, ns: {} }, 'malformed'],
  ['a namespace without colon', { ...json, ns: 'std' }, 'malformed'],
  ['a namespace with a URI twice', { ...json, ns: 'std: std:x' }, 'malformed'],
  ['a namespace of 4 KiB', { ...json, ns: `${'x'.repeat(4096)}:` }, 'limit-exceeded'],
  ['cdata that is a string', { ...json, cdata: 'x' }, 'malformed'],
  ['cdata with a number', { ...json, cdata: { AwA: 1 } }, 'malformed'],
  ['cdata that is not base64', { ...json, cdata: { AwA: '!' } }, 'malformed'],
  ['too much cdata', { ...json, cdata: { AwA: 'A'.repeat(40_000) } }, 'limit-exceeded'],
] as const) {
  test(`refuses a wrapper with ${what}`, () => {
    assert.throws(() => decodeBakeryMacaroon(value), { code })
  })
}

test('splits the items of a namespace at the last colon, and writes them sorted', () => {
  const text = 'std: jujucharms.com/identity: http:http https://a.example/x:p'
  assert.equal(
    formatNamespace(parseNamespace(text)),
    'http:http https://a.example/x:p jujucharms.com/identity: std:',
  )
  assert.deepEqual([...parseNamespace('')], [])
  assert.throws(() => formatNamespace(new Map([['a b', '']])), TypeError)
  assert.throws(() => formatNamespace(new Map([['a', 'b:']])), TypeError)
})

test('accepts only keys of 32 bytes, as bytes and as text', () => {
  assert.throws(() => keyPairFromPrivateKey(Buffer.alloc(31)), TypeError)
  for (const text of ['', 'AAAA', '!', 'A'.repeat(44)]) {
    assert.throws(() => decodeKey(text), {
      code: 'malformed',
      message: 'Not a Curve25519 key: expected base64 of 32 bytes',
    })
  }
})
