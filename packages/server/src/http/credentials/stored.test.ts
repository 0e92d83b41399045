/** Property tests of the strings in which tools store credentials. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addFirstPartyCaveat,
  bindDischarge,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  MacaroonError,
  mint,
} from '@ratafia/macaroon'
import fc from 'fast-check'
import { RequestError } from '../../errors.ts'
import { macaroonsIn } from './presented.ts'
import { storedCredential } from './stored.ts'

const macaroon = fc
  .record({
    rootKey: fc.uint8Array({ minLength: 1, maxLength: 32 }),
    id: fc.string({ maxLength: 30 }).map((text) => Buffer.from(text)),
    conditions: fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.toWellFormed())),
    version: fc.constantFrom(1 as const, 2 as const),
  })
  .map(({ conditions, ...parts }) => conditions.reduce(addFirstPartyCaveat, mint(parts)))

const textOf = (bytes: Uint8Array) => encodeBase64Url(bytes)

test('reads a pair in either form, encoded or not, with its discharge bound', () => {
  fc.assert(
    fc.property(macaroon, macaroon, fc.boolean(), (root, discharge, typed) => {
      const pair = { r: textOf(encodeBinary(root)), d: textOf(encodeBinary(discharge)) }
      const json = JSON.stringify(typed ? { t: 'u1-macaroon', v: pair } : pair)
      const expected = [root, bindDischarge(root, discharge)]
      for (const text of [json, encodeBase64(Buffer.from(json)), ` ${textOf(Buffer.from(json))}\n`]) {
        const [first, second] = storedCredential(text) ?? []
        assert.ok(first && second)
        assert.deepEqual(
          encodeBinary(first, second),
          encodeBinary(...(expected as [typeof root, typeof root])),
        )
      }
    }),
  )
})

/** Strings that are nearly right. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc
    .tuple(
      fc.constantFrom('u1-macaroon', 'macaroon', 'bearer', '__proto__', ''),
      fc.oneof(
        fc.jsonValue(),
        fc.string(),
        macaroon.map((one) => textOf(encodeBinary(one).subarray(0, 40))),
        fc.uint8Array().map(textOf),
        fc.record({ r: macaroon.map((one) => textOf(encodeBinary(one))), d: fc.jsonValue() }),
      ),
    )
    .map(([t, v]) => JSON.stringify({ t, v })),
  fc
    .dictionary(
      fc.constantFrom('r', 'd', 't', 'v', '__proto__', 'constructor'),
      fc.oneof(fc.jsonValue(), fc.uint8Array().map(textOf)),
    )
    .map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.constantFrom('{"r":', '[', '{"t":{"v":'), fc.nat({ max: 10_000 }))
    .map(([piece, times]) => piece.repeat(times)),
)

test('any other text yields nothing, or is refused as an unreadable macaroon', () => {
  fc.assert(
    fc.property(hostile, fc.boolean(), (text, encoded) => {
      const given = encoded ? encodeBase64(Buffer.from(text)) : text
      try {
        storedCredential(given)
      } catch (error) {
        assert.ok(error instanceof MacaroonError, String(error))
      }
      try {
        macaroonsIn(given)
      } catch (error) {
        assert.ok(error instanceof RequestError && error.code !== 'service-unavailable', String(error))
      }
    }),
  )
})
