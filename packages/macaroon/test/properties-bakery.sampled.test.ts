import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sampled } from '../../../tools/test/effort.ts'
import { sealBox } from '../src/bakery/box.ts'
import {
  BakeryError,
  decodeBakeryMacaroon,
  decodeCaveatId,
  discharge,
  encodeCaveatId,
  generateKeyPair,
  parseNamespace,
} from '../src/bakery/index.ts'
import { ConditionError } from '../src/conditions/index.ts'
import { MacaroonError } from '../src/index.ts'
import { bytes, text } from './arbitraries.ts'

const firstParty = generateKeyPair()
const own = generateKeyPair()
const version = fc.constantFrom(1 as const, 2 as const, 3 as const)
const seal = (version: 1 | 2 | 3, condition: string, rootKey: Uint8Array): Uint8Array =>
  encodeCaveatId({ version, condition, rootKey, thirdPartyPublicKey: own.publicKey, firstParty })

const expected = (error: unknown): boolean =>
  error instanceof BakeryError || error instanceof MacaroonError || error instanceof ConditionError

const tolerated = (run: () => unknown): boolean => {
  try {
    run()
    return true
  } catch (error) {
    if (expected(error)) return false
    throw error
  }
}

test('a caveat opens with the sealed condition and root key', () => {
  fc.assert(
    fc.property(version, text, bytes(1, 200), (v, condition, rootKey) => {
      const decoded = decodeCaveatId(seal(v, condition, rootKey), [own])
      assert.deepEqual(
        { v: decoded.version, condition: decoded.condition, rootKey: Buffer.from(decoded.rootKey) },
        { v, condition, rootKey },
      )
    }),
    sampled(20_000),
  )
})

test('a binary caveat with any byte changed does not open, except for the ignored bit of a key', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(2 as const, 3 as const),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (v, at, change) => {
        const caveat = Buffer.from(seal(v, 'condition', Buffer.alloc(24, 1)))
        const position = at % caveat.length
        caveat[position] = (caveat[position] as number) ^ change
        // Curve25519 ignores the top bit of a key, so changing it gives the same key.
        const ignored = position === 36 && change === 0x80
        assert.equal(
          tolerated(() => decodeCaveatId(caveat, [own])),
          ignored,
        )
      },
    ),
    sampled(18_000),
  )
})

test('hostile caveat ids and boxes give a value or a BakeryError, and nothing else', () => {
  const nonce = Buffer.alloc(24, 3)
  const head = (v: number): Buffer =>
    Buffer.concat([Buffer.of(v), own.publicKey.subarray(0, 4), firstParty.publicKey, nonce])
  const boxed = fc
    .tuple(fc.constantFrom(2, 3), fc.constantFrom(2, 3, 9), bytes(0, 60))
    .map(([v, inner, rest]) =>
      Buffer.concat([
        head(v),
        sealBox(firstParty, own.publicKey, nonce, Buffer.concat([Buffer.of(inner), rest])),
      ]),
    )
  const b64 = bytes(0, 40).map((b) => Buffer.from(b).toString('base64'))
  const key = Buffer.from(own.publicKey).toString('base64')
  const json = fc
    .record(
      {
        ThirdPartyPublicKey: fc.oneof(fc.constant(key), b64),
        FirstPartyPublicKey: fc.oneof(fc.constant(key), b64),
        Nonce: fc.oneof(fc.constant('A'.repeat(32)), b64),
        Id: b64,
      },
      { requiredKeys: [] },
    )
    .map((value) => Buffer.from(Buffer.from(JSON.stringify(value)).toString('base64')))
  fc.assert(
    fc.property(
      fc.oneof(
        bytes(0, 200),
        boxed,
        json,
        json.map((b) => b.subarray(0, -2)),
      ),
      (caveat) => {
        tolerated(() => decodeCaveatId(caveat, [own]))
      },
    ),
    sampled(80_000),
  )
})

test('discharges or refuses a caveat with any sealed condition', async () => {
  const condition = fc.oneof(
    text,
    text.map((t) => `need-declared ${t}`),
    text.map((t) => `need-declared a,b ${t}`),
  )
  await fc.assert(
    fc.asyncProperty(version, condition, bytes(14, 24), async (v, sealed, rootKey) => {
      const id = seal(v, sealed, rootKey)
      try {
        const { macaroon } = await discharge({ id, keyPairs: [own], check: () => ['declared b c'] })
        assert.ok(rootKey.length >= 16)
        assert.deepEqual(macaroon.id, id)
      } catch (error) {
        assert.ok(expected(error), String(error))
      }
    }),
    sampled(18_000),
  )
})

test("invalid bakery macaroons and namespaces throw only the package's own errors", () => {
  const wrapper = fc.record({
    m: fc.jsonValue(),
    v: fc.constant(3),
    ns: fc.jsonValue(),
    cdata: fc.jsonValue(),
  })
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), wrapper), fc.string(), (json, namespace) => {
      tolerated(() => decodeBakeryMacaroon(json))
      tolerated(() => parseNamespace(namespace))
    }),
    sampled(19_000),
  )
})
