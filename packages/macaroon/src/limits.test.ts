import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addFirstPartyCaveat,
  addThirdPartyCaveat,
  bindDischarge,
  DEFAULT_LIMITS,
  decodeBinary,
  decodeJson,
  encodeBinary,
  encodeJson,
  type Limits,
  type Macaroon,
  mint,
  type UnverifiedSlice,
  verify,
} from './index.ts'

const rootKey = Buffer.alloc(32, 1)
const limits: Limits = {
  sliceBytes: 400,
  macaroons: 3,
  caveats: 2,
  nesting: 1,
  idBytes: 20,
  conditionBytes: 30,
}
const plain = mint({ rootKey, id: 'id' })

const withConditions = (...conditions: string[]): Macaroon =>
  conditions.reduce((m, c) => addFirstPartyCaveat(m, c), plain)

/** Builds a slice of a root, its discharge, the discharge's discharge, and so on. */
function chainOf(length: number): UnverifiedSlice {
  const key = (i: number): Uint8Array => Buffer.alloc(32, 1 + i)
  const macaroons = Array.from({ length }, (_, i) => {
    const m = mint({ rootKey: key(i), id: `m${i}` })
    return i + 1 < length
      ? addThirdPartyCaveat(m, { rootKey: key(i + 1), id: `m${i + 1}`, location: 'l' })
      : m
  })
  const [root, ...discharges] = macaroons as [Macaroon, ...Macaroon[]]
  return [root, ...discharges.map((d) => bindDischarge(root, d))]
}

const OVER: readonly [string, UnverifiedSlice, RegExp][] = [
  ['an id', [mint({ rootKey, id: 'x'.repeat(21) })], /^An id with too many bytes: 21, and the limit is 20$/],
  ['a condition', [withConditions('x'.repeat(31))], /^A condition with too many bytes: 31, /],
  ['caveats', [withConditions('a', 'b', 'c')], /^Too many caveats: 3, and the limit is 2$/],
  ['macaroons', [plain, plain, plain, plain], /^Too many macaroons: 4, and the limit is 3$/],
  [
    'bytes',
    [{ ...plain, location: 'x'.repeat(400) }],
    /^Macaroons with too many bytes: \d+, and the limit is 400$/,
  ],
  [
    'a third-party caveat id',
    [addThirdPartyCaveat(plain, { rootKey, id: 'x'.repeat(21), location: 'l' })],
    /^A caveat id with too many bytes: 21, /,
  ],
]

for (const [what, slice, message] of OVER) {
  test(`checks the limits before any cryptography (${what})`, () => {
    const wrongKey = Buffer.alloc(32, 9) // If the limits were checked later, this would be a signature error.
    assert.throws(() => verify(slice, wrongKey, limits), { code: 'limit-exceeded', message })
    assert.throws(() => decodeBinary(encodeBinary(...slice), limits), { code: 'limit-exceeded', message })
    if (slice.length === 1) {
      assert.throws(() => decodeJson(encodeJson(slice[0]), limits), { code: 'limit-exceeded' })
    }
    verify(slice.length === 1 && slice[0].caveats.every((c) => !c.verificationId) ? slice : [plain], rootKey)
  })
}

test('discharges can nest as deep as the limit, but no deeper', () => {
  assert.deepEqual(verify(chainOf(9), rootKey), [])
  assert.throws(() => verify(chainOf(10), rootKey), {
    code: 'limit-exceeded',
    message: 'Discharges nest too deep: 9, and the limit is 8',
  })
})

test('refuses to write a field over 64 KiB in version 1', () => {
  const m = addFirstPartyCaveat(mint({ rootKey, id: 'id', version: 1 }), 'x'.repeat(0x10000))
  assert.throws(() => encodeBinary(m), { code: 'limit-exceeded' })
})

test('the default limits are those in the documentation', () => {
  assert.deepEqual(DEFAULT_LIMITS, {
    sliceBytes: 49152,
    macaroons: 16,
    caveats: 128,
    nesting: 8,
    idBytes: 3072,
    conditionBytes: 24576,
  })
})
