/** Guarantee: any string that is sent is read within limits or refused with a reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ExchangeRefusal } from '../refusal.ts'
import { readIdToken } from './read.ts'

const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const HEADER = { alg: 'RS256', kid: 'k', typ: 'JWT' }
const CLAIMS = { iss: 'https://issuer.example', sub: 'é' }
const tokenOf = (header: unknown = HEADER, claims: unknown = CLAIMS, signature = 'c2ln') =>
  `${encoded(header)}.${encoded(claims)}.${signature}`

test('reads header, claims and issuer unchanged', () => {
  const text = tokenOf()
  assert.deepEqual(readIdToken(text), {
    unverifiedHeader: HEADER,
    unverifiedClaims: CLAIMS,
    unverifiedIssuer: CLAIMS.iss,
    text,
  })
  const { unverifiedHeader } = readIdToken(tokenOf({ alg: 'none', jku: 'https://evil.example' }, CLAIMS, ''))
  assert.deepEqual(unverifiedHeader, { alg: 'none', kid: undefined, typ: undefined })
})

test('the last of two claims with the same name is used', () => {
  const text = tokenOf(HEADER, '{"iss":"https://a.example","iss":"https://b.example"}')
  assert.equal(readIdToken(text).unverifiedIssuer, 'https://b.example')
})

const NOT_UTF8 = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64url')

for (const [what, text, message] of [
  ['an empty string', '', /header\.payload\.signature/],
  ['two parts', 'e30.e30', /header\.payload\.signature/],
  ['four parts', `${tokenOf()}.`, /header\.payload\.signature/],
  ['five parts, as in an encrypted token', `${tokenOf()}.a.b`, /header\.payload\.signature/],
  ['padding', tokenOf().replace('.', '=.'), /header that is not base64url/],
  ['a plus sign', tokenOf(HEADER, CLAIMS, 'a+ab'), /signature that is not base64url/],
  ['trailing white space', `${tokenOf()}\n`, /signature that is not base64url/],
  ['leading white space', ` ${tokenOf()}`, /header that is not base64url/],
  ['excess bits', tokenOf(HEADER, CLAIMS, 'c2lnYR'), /signature that is not base64url/],
  ['an excess letter', tokenOf(HEADER, CLAIMS, 'c2lnY'), /signature that is not base64url/],
  ['bytes that are not UTF-8', `${encoded(HEADER)}.${NOT_UTF8}.c2ln`, /payload that is not a JSON object/],
  ['a byte order mark', tokenOf(HEADER, `\ufeff${JSON.stringify(CLAIMS)}`), /payload that is not a JSON/],
  ['a list of claims', tokenOf(HEADER, [CLAIMS]), /payload that is not a JSON object/],
  ['no claims', tokenOf(HEADER, 'null'), /payload that is not a JSON object/],
  ['a header that is a string', tokenOf('"alg"'), /header that is not a JSON object/],
  ['no alg', tokenOf({ kid: 'k' }), /header without "alg"/],
  ['an alg that is a list', tokenOf({ alg: ['RS256'] }), /header without "alg"/],
  ['a kid that is a number', tokenOf({ ...HEADER, kid: 1 }), /"kid" that is not a string/],
  ['a typ that is null', tokenOf({ ...HEADER, typ: null }), /"typ" that is not a string/],
  ['an empty crit', tokenOf({ ...HEADER, crit: [] }), /"crit" header/],
  ['a crit that is null', tokenOf({ ...HEADER, crit: null }), /"crit" header/],
  ['no issuer', tokenOf(HEADER, {}), /no "iss"/],
  ['an inherited issuer', tokenOf(HEADER, '{"__proto__":{"iss":"https://issuer.example"}}'), /no "iss"/],
  ['an empty issuer', tokenOf(HEADER, { iss: '' }), /"iss" that is not a string of 1 to 500/],
  ['a long issuer', tokenOf(HEADER, { iss: 'x'.repeat(501) }), /"iss" that is not a string of 1 to 500/],
  ['an issuer with U+0000', tokenOf(HEADER, { iss: 'a\0' }), /"iss" that is not a string of 1 to 500/],
  ['an issuer with half a character', tokenOf(HEADER, '{"iss":"\\ud800"}'), /"iss" that is not a string of/],
] as const) {
  test(`refuses ${what} as malformed`, () => {
    assert.throws(() => readIdToken(text), { reason: 'malformed', code: 'invalid-request', message })
  })
}

test('refuses a token that is too large before decoding it', () => {
  const most = tokenOf(HEADER, { ...CLAIMS, more: 'x'.repeat(12_150) })
  assert.ok(most.length <= 16_384 && most.length > 16_250)
  readIdToken(most)
  assert.throws(() => readIdToken('?'.repeat(16_385)), { reason: 'too-large' })
  assert.throws(() => readIdToken(`${'?'.repeat(4097)}.?.?`), { reason: 'too-large', message: /header/ })
})

test('any string is read, or refused as malformed or too large', () => {
  const json = fc.json({ maxDepth: 4 })
  const header = fc.record(
    { alg: fc.jsonValue(), kid: fc.jsonValue(), typ: fc.jsonValue(), crit: fc.jsonValue() },
    { requiredKeys: [] },
  )
  const claims = fc.record(
    { iss: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })) },
    { requiredKeys: [] },
  )
  const part = fc.oneof(
    json.map(encoded),
    header.map(encoded),
    claims.map(encoded),
    fc.string({ unit: 'binary' }),
  )
  const nested = fc.nat({ max: 12_000 }).map((depth) => encoded('['.repeat(depth)))
  const token = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20_000 }),
    fc.array(fc.oneof(part, nested), { maxLength: 6 }).map((parts) => parts.join('.')),
    fc.tuple(header, claims, fc.string()).map(([one, two, three]) => tokenOf(one, two, three)),
  )
  fc.assert(
    fc.property(token, (text) => {
      try {
        const { unverifiedIssuer } = readIdToken(text)
        assert.ok(unverifiedIssuer.length > 0 && unverifiedIssuer.isWellFormed())
      } catch (error) {
        assert.ok(error instanceof ExchangeRefusal, String(error))
        assert.ok(error.reason === 'malformed' || error.reason === 'too-large')
        assert.ok(error.message.length < 300)
      }
    }),
    { numRuns: 500 },
  )
})
