import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sampled } from '../../../tools/test/effort.ts'
import { formatMacaroonsHeader, slicesFromMacaroonsHeader } from '../src/bakery/index.ts'
import {
  type Caveat,
  decodeBase64,
  decodeBinary,
  decodeJson,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  encodeJson,
  type Macaroon,
  MacaroonError,
  type UnverifiedSlice,
  verify,
} from '../src/index.ts'
import { bytes, plainMacaroon, slice, text } from './arbitraries.ts'

const refused = (run: () => unknown): void => {
  try {
    run()
  } catch (error) {
    if (error instanceof MacaroonError) return
    throw error
  }
  assert.fail('It was accepted')
}

/** Runs a decoder on hostile input, which must return a value or throw a MacaroonError. */
const tolerated = <Value>(run: () => Value): Value | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof MacaroonError) return undefined
    throw error
  }
}

test('reads every encoding of a macaroon as the same macaroon', () => {
  fc.assert(
    fc.property(plainMacaroon, ({ macaroon }) => {
      assert.deepEqual(decodeBinary(encodeBinary(macaroon)), [macaroon])
      assert.deepEqual(decodeJson(JSON.parse(JSON.stringify(encodeJson(macaroon)))), macaroon)
      assert.deepEqual(decodeJson(encodeBase64Url(encodeBinary(macaroon))), macaroon)
    }),
    sampled(10_000),
  )
})

test('reads every encoding of a slice, which verifies with its conditions in order', () => {
  fc.assert(
    fc.property(slice, ({ rootKey, slice, conditions }) => {
      const spellings = [
        decodeBinary(encodeBinary(...slice)),
        slicesFromMacaroonsHeader([formatMacaroonsHeader(slice)]).slices[0] as UnverifiedSlice,
      ]
      for (const read of spellings) {
        assert.deepEqual(read, slice)
        assert.deepEqual(
          verify(read, rootKey).map((c) => c.condition),
          conditions,
        )
      }
    }),
    sampled(3000),
  )
})

test('refuses a slice with any bit of its signed content changed', () => {
  fc.assert(
    fc.property(slice, fc.nat(), fc.nat({ max: 7 }), ({ rootKey, slice }, at, bit) => {
      refused(() => verify(flipped(slice, at, bit), rootKey))
    }),
    sampled(13_000),
  )
})

test('refuses a binary slice with any byte changed, unless its meaning is the same', () => {
  fc.assert(
    fc.property(slice, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ rootKey, slice }, at, change) => {
      const encoded = Buffer.from(encodeBinary(...slice))
      const position = at % encoded.length
      encoded[position] = (encoded[position] as number) ^ change
      const read = tolerated(() => decodeBinary(encoded))
      if (read === undefined || tolerated(() => verify(read, rootKey)) === undefined) return
      // Locations are not signed; everything else must be unchanged.
      assert.deepEqual(read.map(withoutLocations), slice.map(withoutLocations))
    }),
    sampled(15_000),
  )
})

test('refuses a slice with a different root key, without a discharge, or with a repeated discharge', () => {
  fc.assert(
    fc.property(slice, bytes(1), ({ rootKey, slice: [root, outer, inner] }, otherKey) => {
      assert.ok(outer && inner)
      if (!Buffer.from(otherKey).equals(rootKey)) refused(() => verify([root, outer, inner], otherKey))
      refused(() => verify([root, outer], rootKey))
      refused(() => verify([root, inner], rootKey))
      refused(() => verify([root], rootKey))
      refused(() => verify([root, outer, inner, inner], rootKey))
      refused(() => verify([outer, root, inner], rootKey))
      // The order of discharges does not matter.
      verify([root, inner, outer], rootKey)
    }),
    sampled(4000),
  )
})

test('decodeBinary throws only a MacaroonError for bytes that are not a macaroon', () => {
  const start = fc.constantFrom(Buffer.of(2), Buffer.from('0024location '), Buffer.of())
  fc.assert(
    fc.property(start, bytes(0, 300), (head, tail) => {
      tolerated(() => decodeBinary(Buffer.concat([head, tail])))
    }),
    sampled(80_000),
  )
})

test('decodeJson throws only a MacaroonError for JSON that is not a macaroon', () => {
  const key = fc.constantFrom(
    'i',
    'i64',
    's',
    's64',
    'v',
    'v64',
    'c',
    'l',
    'identifier',
    'signature',
    'caveats',
    'x',
  )
  const value: fc.Arbitrary<unknown> = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.jsonValue(),
    bytes(32, 32).map(encodeBase64),
    fc.array(fc.dictionary(key, fc.oneof(fc.jsonValue(), bytes().map(encodeBase64Url)))),
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(key, value)), (json) => {
      const macaroon = tolerated(() => decodeJson(json))
      if (macaroon !== undefined) tolerated(() => verify([macaroon], Buffer.of(1)))
    }),
    sampled(3000),
  )
})

test('reads or refuses a macaroon in JSON with one value replaced, and never crashes', () => {
  fc.assert(
    fc.property(slice, fc.nat(), fc.jsonValue(), ({ slice }, at, replacement) => {
      const json = JSON.parse(JSON.stringify(encodeJson(slice[0]))) as Record<string, unknown>
      const keys = Object.keys(json)
      json[keys[at % keys.length] as string] = replacement
      tolerated(() => decodeJson(json))
    }),
    sampled(6000),
  )
})

test('reads all four variants of base64 alike, and refuses other strings', () => {
  fc.assert(
    fc.property(bytes(0, 50), (value) => {
      const padded = encodeBase64(value)
      const url = encodeBase64Url(value)
      for (const variant of [padded, padded.replaceAll('=', ''), url, url.padEnd(padded.length, '=')]) {
        assert.deepEqual(decodeBase64(variant), value)
      }
    }),
    sampled(70_000),
  )
  fc.assert(
    fc.property(fc.oneof(text, fc.base64String(), fc.string()), (input) => {
      const value = tolerated(() => decodeBase64(input))
      if (value === undefined) return
      const bare = input.replaceAll('=', '')
      assert.ok([encodeBase64Url(value), encodeBase64(value).replaceAll('=', '')].includes(bare))
    }),
    sampled(50_000),
  )
})

test('reading a Macaroons header never throws', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => encodeBase64(Buffer.from(JSON.stringify(value)))),
    fc.array(fc.jsonValue()).map((value) => encodeBase64Url(Buffer.from(JSON.stringify(value)))),
    bytes(0, 200).map(encodeBase64),
    slice.map((built) => formatMacaroonsHeader(built.slice)),
  )
  fc.assert(
    fc.property(fc.array(hostile), fc.boolean(), (values, binary) => {
      const { slices, errors, malformed } = slicesFromMacaroonsHeader(values, { binary })
      assert.ok(slices.every((s) => s.length > 0))
      assert.equal(malformed, errors.length > 0)
    }),
    sampled(3000),
  )
})

function withoutLocations(m: Macaroon): unknown {
  return { id: m.id, signature: m.signature, caveats: m.caveats.map((c) => [c.id, c.verificationId]) }
}

/** Flips one bit of a slice's signed bytes, counted across all its macaroons. */
function flipped(slice: UnverifiedSlice, at: number, bit: number): UnverifiedSlice {
  const signed = slice.flatMap((m) => [
    m.id,
    m.signature,
    ...m.caveats.flatMap((c) => (c.verificationId === undefined ? [c.id] : [c.id, c.verificationId])),
  ])
  let left = at % signed.reduce((sum, part) => sum + part.length, 0)
  const target = signed.find((part) => {
    if (left < part.length) return true
    left -= part.length
    return false
  }) as Uint8Array
  const changed = Buffer.from(target)
  changed[left] = (changed[left] as number) ^ (1 << bit)
  const swap = (part: Uint8Array): Uint8Array => (part === target ? changed : part)
  const swapCaveat = (c: Caveat): Caveat => ({
    ...c,
    id: swap(c.id),
    verificationId: c.verificationId && swap(c.verificationId),
  })
  return slice.map((m) => ({
    ...m,
    id: swap(m.id),
    signature: swap(m.signature),
    caveats: m.caveats.map(swapCaveat),
  })) as unknown as UnverifiedSlice
}
