/** Properties of the discharge of a password login. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFirstPartyCaveat, decodeBinary, encodeBinary, MacaroonError, verify } from '@ratafia/macaroon'
import { ConditionError } from '@ratafia/macaroon/conditions'
import fc from 'fast-check'
import { mintDischarge, type NewDischarge, readDischarge } from './discharge-macaroon.ts'

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => text.toWellFormed())
const year = { min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }

const given: fc.Arbitrary<Required<NewDischarge>> = fc.record({
  rootKey: fc.uint8Array({ minLength: 16, maxLength: 40 }),
  id: words.map((text) => Buffer.from(text)),
  location: fc.stringMatching(/^[!-~]{1,255}$/),
  declared: fc
    .tuple(fc.constantFrom('userid', 'username'), fc.stringMatching(/^[a-z0-9-]{1,64}$/))
    .map(([key, value]) => ({ key, value })),
  expires: fc.date(year),
  givenAt: fc.date(year),
  added: fc.array(words, { maxLength: 20 }),
})

const conditionsOf = (...slice: Parameters<typeof verify>) =>
  verify(...slice).map(({ condition }) => condition)

test('a minted discharge verifies after encoding and decoding, and has the given content', () => {
  fc.assert(
    fc.property(given, (what) => {
      const minted = mintDischarge(what)
      const [decoded] = decodeBinary(encodeBinary(minted))
      assert.deepEqual([decoded.version, decoded.location], [1, what.location])
      const { declared, givenAt, added } = what
      const read = readDischarge(conditionsOf([decoded], what.rootKey))
      assert.deepEqual(read, { declared, givenAt, added })
    }),
  )
})

test('caveats of the holder come last, so they cannot replace any other', () => {
  fc.assert(
    fc.property(given, fc.array(words, { minLength: 1, maxLength: 8 }), (what, more) => {
      const narrowed = more.reduce(addFirstPartyCaveat, mintDischarge(what))
      const { declared, givenAt, added } = what
      assert.deepEqual(readDischarge(conditionsOf([narrowed], what.rootKey)), {
        ...{ declared, givenAt },
        added: [...added, ...more],
      })
    }),
  )
})

test('a discharge with a changed bit does not verify, unless only its location changed', () => {
  fc.assert(
    fc.property(given, fc.nat(), fc.nat({ max: 7 }), (what, at, bit) => {
      const bytes = Buffer.from(encodeBinary(mintDischarge(what)))
      const where = at % bytes.length
      bytes.writeUInt8(bytes.readUInt8(where) ^ (1 << bit), where)
      try {
        const [changed, ...more] = decodeBinary(bytes)
        assert.deepEqual(more, [])
        const read = readDischarge(conditionsOf([changed], what.rootKey))
        assert.deepEqual(read?.declared, what.declared)
        assert.notEqual(changed.location, what.location)
      } catch (error) {
        if (!(error instanceof MacaroonError)) throw error
      }
    }),
  )
})

test('refuses conditions that are different or in another order, with undefined or a ConditionError', () => {
  const condition = fc.oneof(
    words,
    fc
      .tuple(fc.constantFrom('declared', 'time-before', 'time-since', ''), fc.string({ unit: 'binary' }))
      .map((parts) => parts.join(' ')),
  )
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 6 }), (conditions) => {
      try {
        const read = readDischarge(conditions)
        if (read) assert.ok(Number.isFinite(read.givenAt.getTime()))
      } catch (error) {
        assert.ok(error instanceof ConditionError)
      }
    }),
  )
})
