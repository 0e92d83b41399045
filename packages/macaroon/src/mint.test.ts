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

// Guarantee: what the caller does wrong is a TypeError, never a macaroon that cannot be verified or read.
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
  test(`${mistake} is a TypeError`, () => assert.throws(run, TypeError))
}

test('adding a caveat leaves the macaroon as it was', () => {
  const before = structuredClone(root)
  const narrower = addFirstPartyCaveat(root, 'a')
  assert.deepEqual(structuredClone(root), before)
  assert.equal(narrower.caveats.length, 1)
})

test('two third-party caveats that are alike have different nonces', () => {
  const add = (): unknown =>
    addThirdPartyCaveat(root, { rootKey, id: 'c', location: 'l' }).caveats[0]?.verificationId
  assert.notDeepEqual(add(), add())
})

test('a condition that is not text verifies as nothing a checker could be asked', () => {
  assert.throws(() => verify([addFirstPartyCaveat(root, Buffer.of(0xff))], rootKey), {
    code: 'condition-not-text',
    message: 'Caveat 0 of the macaroon at position 0 is not text, so its condition cannot be checked',
  })
})

test('a discharge bound to another root is refused', () => {
  const withCaveat = addThirdPartyCaveat(root, { rootKey, id: 'c', location: 'l' })
  const other = addFirstPartyCaveat(withCaveat, 'a')
  const discharge = mint({ rootKey, id: 'c' })
  verify([withCaveat, bindDischarge(withCaveat, discharge)], rootKey)
  assert.throws(() => verify([withCaveat, bindDischarge(other, discharge)], rootKey), {
    code: 'bad-signature',
  })
  assert.throws(() => verify([withCaveat, discharge], rootKey), { code: 'bad-signature' })
})

test('conditions say which macaroon and which caveat they are', () => {
  const start = addThirdPartyCaveat(addFirstPartyCaveat(root, 'a'), { rootKey, id: 'c', location: 'l' })
  const whole = addFirstPartyCaveat(start, 'd')
  const discharge = bindDischarge(whole, addFirstPartyCaveat(mint({ rootKey, id: 'c' }), 'b'))
  assert.deepEqual(verify([whole, discharge], rootKey), [
    { condition: 'a', macaroon: 0, caveat: 0 },
    { condition: 'b', macaroon: 1, caveat: 0 },
    { condition: 'd', macaroon: 0, caveat: 2 },
  ])
})

// Guarantee: what is ambiguous in JSON is refused, and what is merely unusual is read.
const json = encodeJson(root)
const REFUSED: readonly [string, unknown][] = [
  ['id in both spellings', { ...json, i64: 'aWQ' }],
  ['signature in both spellings', { ...json, s: 'x' }],
  ['a caveat id in both spellings', { ...json, c: [{ i: 'a', i64: 'YQ' }] }],
  ['an id that is a number', { ...json, i: 1 }],
  ['a lone surrogate', { ...json, i: '\ud800' }],
  ['caveats that are an object', { ...json, c: {} }],
  ['a caveat that is null', { ...json, c: [null] }],
  ['mixed alphabets', { ...json, s64: `${'A'.repeat(41)}-+` }],
  ['a list', [json]],
  ['null', null],
  ['nothing', {}],
  ['two macaroons in one text', Buffer.from(encodeBinary(root, root)).toString('base64')],
]
for (const [what, value] of REFUSED) {
  test(`JSON with ${what} is refused`, () => assert.throws(() => decodeJson(value), { code: 'malformed' }))
}
test('JSON with caveats null, an empty v64 or a location on a first-party caveat is read', () => {
  assert.deepEqual(decodeJson({ ...json, c: null }), root)
  const one = decodeJson({ ...json, c: [{ i: 'a', v64: '', l: 'x' }] })
  assert.deepEqual(one.caveats, [{ id: Buffer.from('a'), location: '', verificationId: undefined }])
})

test('control characters are written in base64: some databases cannot store them', () => {
  const m = addFirstPartyCaveat(mint({ rootKey, id: Buffer.of(3, 0) }), 'a\u2028b')
  assert.deepEqual({ ...encodeJson(m), s64: '' }, { v: 2, c: [{ i64: 'YeKAqGI' }], i64: 'AwA', s64: '' })
})
