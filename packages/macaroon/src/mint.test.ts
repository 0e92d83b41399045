import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addFirstPartyCaveat,
  addThirdPartyCaveat,
  bindDischarge,
  decodeJson,
  encodeBinary,
  encodeJson,
  mint,
  verify,
} from './index.ts'

const rootKey = Buffer.alloc(32, 1)
const root = mint({ rootKey, id: 'id', location: 'https://shop.example' })

// Guarantee: a caller's mistake gives a TypeError, never a macaroon that can't be verified or read.
const MISTAKES: readonly [string, () => unknown][] = [
  ['an empty root key', () => mint({ rootKey: Buffer.of(), id: 'id' })],
  ['verifying with an empty root key', () => verify([root], Buffer.of())],
  ['a binary id in version 1', () => mint({ rootKey, id: Buffer.of(0xff), version: 1 })],
  ['a lone surrogate in an id', () => mint({ rootKey, id: '\ud800' })],
  ['a lone surrogate in a location', () => mint({ rootKey, id: 'id', location: '\ud800' })],
  ['a binary condition in version 1', () => addFirstPartyCaveat({ ...root, version: 1 }, Buffer.of(0xff))],
  [
    'a third-party caveat without location',
    () => addThirdPartyCaveat(root, { rootKey, id: 'c', location: '' }),
  ],
  [
    'a nonce of 23 bytes',
    () => addThirdPartyCaveat(root, { rootKey, id: 'c', location: 'l', nonce: Buffer.alloc(23) }),
  ],
  [
    'a third-party caveat id used twice',
    () => {
      const once = addThirdPartyCaveat(root, { rootKey, id: 'c', location: 'l' })
      addThirdPartyCaveat(once, { rootKey, id: 'c', location: 'l' })
    },
  ],
]
for (const [mistake, run] of MISTAKES) {
  test(`throws a TypeError for ${mistake}`, () => assert.throws(run, TypeError))
}

test('adding a caveat does not change the original macaroon', () => {
  const before = structuredClone(root)
  const narrower = addFirstPartyCaveat(root, 'a')
  assert.deepEqual(structuredClone(root), before)
  assert.equal(narrower.caveats.length, 1)
})

test('two equal third-party caveats have different nonces', () => {
  const add = (): unknown =>
    addThirdPartyCaveat(root, { rootKey, id: 'c', location: 'l' }).caveats[0]?.verificationId
  assert.notDeepEqual(add(), add())
})

test('refuses a condition that is not text, because it cannot be checked', () => {
  assert.throws(() => verify([addFirstPartyCaveat(root, Buffer.of(0xff))], rootKey), {
    code: 'condition-not-text',
    message: 'Caveat 0 of the macaroon at position 0 is not text, so its condition cannot be checked',
  })
})

test('refuses a discharge that is bound to another root', () => {
  const withCaveat = addThirdPartyCaveat(root, { rootKey, id: 'c', location: 'l' })
  const other = addFirstPartyCaveat(withCaveat, 'a')
  const discharge = mint({ rootKey, id: 'c' })
  verify([withCaveat, bindDischarge(withCaveat, discharge)], rootKey)
  assert.throws(() => verify([withCaveat, bindDischarge(other, discharge)], rootKey), {
    code: 'bad-signature',
  })
  assert.throws(() => verify([withCaveat, discharge], rootKey), { code: 'bad-signature' })
})

test('a condition has the positions of its macaroon and its caveat', () => {
  const start = addThirdPartyCaveat(addFirstPartyCaveat(root, 'a'), { rootKey, id: 'c', location: 'l' })
  const whole = addFirstPartyCaveat(start, 'd')
  const discharge = bindDischarge(whole, addFirstPartyCaveat(mint({ rootKey, id: 'c' }), 'b'))
  assert.deepEqual(verify([whole, discharge], rootKey), [
    { condition: 'a', macaroon: 0, caveat: 0 },
    { condition: 'b', macaroon: 1, caveat: 0 },
    { condition: 'd', macaroon: 0, caveat: 2 },
  ])
})

// Guarantee: ambiguous JSON is refused, and unusual JSON is read.
const json = encodeJson(root)
const REFUSED: readonly [string, unknown][] = [
  ['an id in both forms', { ...json, i64: 'aWQ' }],
  ['a signature in both forms', { ...json, s: 'x' }],
  ['a caveat id in both forms', { ...json, c: [{ i: 'a', i64: 'YQ' }] }],
  ['an id that is a number', { ...json, i: 1 }],
  ['a lone surrogate', { ...json, i: '\ud800' }],
  ['caveats that are an object', { ...json, c: {} }],
  ['a caveat that is null', { ...json, c: [null] }],
  ['mixed alphabets', { ...json, s64: `${'A'.repeat(41)}-+` }],
  ['a list', [json]],
  ['null', null],
  ['nothing', {}],
  ['two macaroons in one string', Buffer.from(encodeBinary(root, root)).toString('base64')],
]
for (const [what, value] of REFUSED) {
  test(`refuses JSON with ${what}`, () => assert.throws(() => decodeJson(value), { code: 'malformed' }))
}
test('reads JSON with null as caveats, an empty v64 or a location on a first-party caveat', () => {
  assert.deepEqual(decodeJson({ ...json, c: null }), root)
  const one = decodeJson({ ...json, c: [{ i: 'a', v64: '', l: 'x' }] })
  assert.deepEqual(one.caveats, [{ id: Buffer.from('a'), location: '', verificationId: undefined }])
})

test('writes control characters in base64, because some databases cannot store them', () => {
  const m = addFirstPartyCaveat(mint({ rootKey, id: Buffer.of(3, 0) }), 'a\u2028b')
  assert.deepEqual({ ...encodeJson(m), s64: '' }, { v: 2, c: [{ i64: 'YeKAqGI' }], i64: 'AwA', s64: '' })
})
