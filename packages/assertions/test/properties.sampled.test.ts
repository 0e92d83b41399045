import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sampled } from '../../../tools/test/effort.ts'
import { compilePattern } from '../src/constraints/pattern.ts'
import { iterateStream } from '../src/decode-stream.ts'
import { parseHeaders } from '../src/headers/parse-headers.ts'
import { parseTimestamp } from '../src/headers/timestamp.ts'
import {
  AssertionError,
  decode,
  decodePublicKey,
  decodeSignature,
  decodeStream,
  encode,
  encodeStream,
  type Policy,
  privateKeyFromPem,
  type SigningInput,
  SNAPD_POLICY,
  sign,
  type UnverifiedAssertion,
  verifySignature,
} from '../src/index.ts'
import { name, signable, text, value } from './arbitraries.ts'
import { decoded, RECORDED, testKey, vector, vectorNames } from './vectors.ts'

// A small key, so that a second is enough for many signatures.
const key = testKey('small1024')
const policy: Policy = { ...SNAPD_POLICY, minimumKeyBits: 1024 }
const signed = (input: SigningInput<'device-session-request'>) =>
  sign(input, key, { signedAt: RECORDED, policy })

/** Runs a function on hostile input, which must return a value or throw an AssertionError with one short line. */
const tolerated = <Value>(run: () => Value): Value | undefined => {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    // `snap changes` and logs show it.
    assert.match(error.message, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,1000}$/u)
    return undefined
  }
}

test('both decoders read a signed assertion with its input values, and it verifies', () => {
  fc.assert(
    fc.property(signable, (input) => {
      const assertion = signed(input)
      const bytes = encode(assertion)
      assert.deepEqual(decode(bytes), assertion)
      assert.deepEqual(decodeStream(bytes), [assertion])
      assert.deepEqual(decode(Buffer.from(bytes).toString()), assertion)
      verifySignature(assertion, key.publicKey, policy)
      assert.equal(Buffer.from(assertion.body).toString(), input.body)
      const headers = input.headers as ReadonlyMap<string, unknown>
      for (const [header, said] of headers) {
        if (header === 'revision') assert.equal(assertion.revision, Number(said))
        else if (!['type', 'format', 'body-length', 'sign-key-sha3-384'].includes(header)) {
          assert.deepEqual(assertion.headers.get(header), said)
        }
      }
    }),
    sampled(3000),
  )
})

test('signing a signed assertion again gives the same bytes', () => {
  fc.assert(
    fc.property(signable, (input) => {
      const assertion = signed(input)
      const { headers, body } = assertion
      assert.deepEqual(signed({ type: 'device-session-request', headers, body }), assertion)
    }),
    sampled(1800),
  )
})

test('a stream of any assertions reads back as the same assertions', () => {
  const many = fc.array(signable, { maxLength: 4 })
  fc.assert(
    fc.property(many, (inputs) => {
      const assertions = inputs.map(signed)
      assert.deepEqual(decodeStream(encodeStream(assertions)), assertions)
    }),
    sampled(1400),
  )
})

// Guarantee: every assertion accepted in a stream can be stored and read again. Chance rarely produces a whole
// assertion, so this only varies the newlines between the parts of real ones.
test('decode reads every assertion that the stream decoder accepts, with any number of newlines', () => {
  const newlines = fc.integer({ min: 1, max: 5 }).map((count) => '\n'.repeat(count))
  const parts = fc.array(fc.tuple(signable, newlines, newlines), { minLength: 1, maxLength: 3 })
  const [plain] = fc.sample(signable, 1)
  assert.ok(plain)
  let verified = 0
  fc.assert(
    fc.property(parts, (all) => {
      const bytes = all.flatMap(([input, before, after]) => {
        const { content, signature } = signed(input)
        return [content, Buffer.from(`${before}${Buffer.from(signature).toString().trimEnd()}${after}`)]
      })
      const found: UnverifiedAssertion[] = []
      tolerated(() => {
        for (const read of iterateStream(Buffer.concat(bytes))) found.push(read)
      })
      for (const read of found) {
        assert.deepEqual(decode(encode(read)), read)
        // After a single newline, the next assertion becomes a part of the signature, which is then invalid.
        tolerated(() => {
          verifySignature(read, key.publicKey, policy)
          verified++
        })
      }
    }),
    // By chance, none of the samples might verify.
    { ...sampled(1400), examples: [[[[plain, '\n\n', '\n']]]] },
  )
  assert.ok(verified > 0)
})

// Guarantee: if any bit of an assertion changes, it does not verify, unless the change leaves the same signature.
test('notices every changed byte of the content', () => {
  const original = signed({
    type: 'device-session-request',
    headers: {
      'brand-id': 'a',
      model: 'm',
      serial: 'S',
      nonce: 'N',
      timestamp: '2020-01-01T00:00:00Z',
      x: ['y'],
    },
    body: 'some\n\nbody',
  })
  const bytes = Buffer.from(encode(original))
  for (let at = 0; at < original.content.length; at++) {
    for (const bit of [1, 0x20, 0x80]) {
      const tampered = Buffer.from(bytes)
      tampered[at] = (tampered[at] as number) ^ bit
      const read = tolerated(() => decode(tampered))
      if (read !== undefined) {
        assert.throws(() => verifySignature(read, key.publicKey, policy), AssertionError)
      }
    }
  }
})

test('notices every changed bit of the signature, unless its meaning is the same', () => {
  const original = decoded('valid/device-session-request')
  const publicKey = testKey('device').publicKey
  const packet = Buffer.from(Buffer.from(original.signature).toString(), 'base64')
  const before = decodeSignature(original.signature)
  fc.assert(
    fc.property(fc.nat(packet.length * 8 - 1), (bit) => {
      const tampered = Buffer.from(packet)
      tampered[bit >> 3] = (tampered[bit >> 3] as number) ^ (1 << (bit & 7))
      const signature = Buffer.from(tampered.toString('base64'))
      const accepted = tolerated(() => {
        verifySignature({ ...original, signature }, publicKey)
        return true
      })
      // The bit count of an integer can be any that needs the same number of bytes.
      if (accepted) assert.deepEqual(decodeSignature(signature), before)
    }),
    sampled(15_000),
  )
})

const folders = [
  'valid',
  'canonical',
  'noncanonical-accepted',
  'decode-error',
  'decoder-differs',
  'extra-head',
]
const corpus = folders.flatMap((folder) => vectorNames(folder).map((file) => vector(`${folder}/${file}`)))

/** Parts of real assertions, cut and joined, with noise between them. */
const hostile: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(
      fc.oneof(
        fc
          .tuple(fc.constantFrom(...corpus), fc.nat(4000), fc.nat(4000))
          .map(([bytes, a, b]) => bytes.subarray(Math.min(a, b), Math.max(a, b))),
        text.map((noise) => Buffer.from(noise)),
        fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      ),
      { maxLength: 4 },
    )
    .map((parts) => Buffer.concat(parts)),
  fc
    .tuple(fc.constantFrom(...corpus), fc.nat(4000), fc.uint8Array({ maxLength: 3 }), fc.nat(3))
    .map(([bytes, at, noise, removed]) =>
      Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + removed)]),
    ),
)

// Guarantee: a stranger's bytes give an assertion or an AssertionError, and nothing else.
test('every decoder answers hostile input with a value or an AssertionError', () => {
  fc.assert(
    fc.property(hostile, (bytes) => {
      const one = tolerated(() => decode(bytes))
      if (one !== undefined) {
        assert.deepEqual(Buffer.from(encode(one)), bytes)
        tolerated(() => verifySignature(one, key.publicKey))
      }
      for (const read of tolerated(() => decodeStream(bytes)) ?? []) {
        tolerated(() => decodeSignature(read.signature))
        assert.deepEqual(decode(encode(read)), read)
      }
      const latin1 = bytes.toString('latin1')
      tolerated(() => decode(latin1))
      tolerated(() => decodePublicKey(latin1))
      tolerated(() => decodePublicKey(bytes.toString('base64')))
      tolerated(() => decodePublicKey(Buffer.concat([Buffer.of(1, 0xc6), bytes]).toString('base64')))
      tolerated(() => decodeSignature(bytes))
      tolerated(() =>
        decodeSignature(Buffer.from(Buffer.concat([Buffer.of(1, 0xc2), bytes]).toString('base64'))),
      )
      tolerated(() => privateKeyFromPem(bytes))
    }),
    sampled(12_000),
  )
})

test('answers hostile headers, timestamps and patterns with a value or their own error', () => {
  const header = fc.tuple(name, value).map(([key]) => `${key}:`)
  const line = fc.oneof(header, text, fc.constantFrom('  - a', '  -', '    a', '  a: b', '    - a', 'a: b'))
  fc.assert(
    fc.property(
      fc.array(line),
      text,
      fc.string({ unit: fc.constantFrom(...'ab(){}[]|*+?\\^$.-1,:d') }),
      (lines, time, pattern) => {
        tolerated(() => parseHeaders(lines.join('\n')))
        parseTimestamp(time)
        try {
          compilePattern(pattern)(time)
        } catch (error) {
          assert.ok(error instanceof SyntaxError)
        }
      },
    ),
    sampled(16_000),
  )
})

test('patterns that JavaScript also knows match the same strings there', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    '(a|b)',
    '(ab)',
    '\\d',
    'a?',
    'b*',
    '(a|)+',
    'a{1,2}',
    '|',
  )
  const pattern = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const subject = fc.string({ unit: fc.constantFrom('a', 'b', '1', '\n'), maxLength: 6 })
  fc.assert(
    fc.property(pattern, subject, (source, given) => {
      assert.equal(compilePattern(source)(given), new RegExp(`^(?:${source})$`, 'u').test(given))
    }),
    sampled(50_000),
  )
})
