/** Guarantee: a token is accepted only if its issuer signed it, for us, and it is valid now. More in the vectors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuerOf, signText, signToken, testKeySet, testKeys } from '../../../test/support/id-tokens.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { importIssuerKeys, readKeySet } from './issuer-keys.ts'
import { readIdToken } from './read.ts'
import { verifyIdToken } from './verify.ts'

const AUDIENCE = 'https://store.example.com'
const NOW = new Date('2026-11-24T12:00:00Z')
const SECONDS = NOW.getTime() / 1000
const ISSUER: Issuer = issuerOf({ kind: 'generic', issuer: 'https://issuer.example' })
const HEADER = { alg: 'RS256', kid: 'test-key', typ: 'JWT' }
const CLAIMS = {
  ...{ iss: ISSUER.url, aud: AUDIENCE, sub: 'job', jti: 'one' },
  ...{ iat: SECONDS, exp: SECONDS + 300 },
}

const importKeys = (keys: string, algorithms = '[]') =>
  importIssuerKeys({ revision: '1', keys: readKeySet(keys), algorithms })
const KEYS = await importKeys(testKeySet())

interface Given {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly settings?: Partial<Issuer['settings']>
}

const verify = ({ header, claims, settings }: Given = {}, keys = KEYS) =>
  verifyIdToken(readIdToken(signToken({ ...HEADER, ...header }, { ...CLAIMS, ...claims })), {
    issuer: { ...ISSUER, settings: { ...ISSUER.settings, ...settings } },
    ...{ keys, audience: AUDIENCE, now: NOW },
  })

test('a valid token returns its claims, its expiry, and the claims that are kept', async () => {
  const verified = await verify()
  assert.deepEqual(
    { ...verified },
    {
      issuerId: ISSUER.id,
      claims: CLAIMS,
      expiresAt: new Date(CLAIMS.exp * 1000),
      key: 'one',
      kept: { sub: 'job' },
    },
  )
})

for (const [what, given] of [
  ['without typ', { header: { typ: undefined } }],
  ['with a list of only our audience', { claims: { aud: [AUDIENCE] } }],
  ['for us and a known other', { claims: { aud: ['o', AUDIENCE] }, settings: { otherAudiences: ['o'] } }],
  ['for the audience of its issuer', { claims: { aud: 'api://x' }, settings: { audience: 'api://x' } }],
  ['from 30 s in the future', { claims: { iat: SECONDS + 30, nbf: SECONDS + 30 } }],
  ['with fractions of a second', { claims: { iat: SECONDS - 0.5, exp: SECONDS + 0.5 } }],
  ['with a lifetime of 24 h', { claims: { exp: SECONDS + 86_400 } }],
  ['with an allowed lifetime', { claims: { exp: SECONDS + 90_000 }, settings: { longestLife: 1e8 } }],
  ['with a jti of 255 characters', { claims: { jti: 'x'.repeat(255) } }],
  ['with ES256', { header: { alg: 'ES256', kid: 'ec-key' } }],
] satisfies readonly (readonly [string, Given])[]) {
  test(`accepts a token ${what}`, async () => {
    await verify(given)
  })
}

for (const [reason, what, given] of [
  ['algorithm', 'HMAC', { header: { alg: 'HS256' } }],
  ['algorithm', 'none', { header: { alg: 'none' } }],
  ['algorithm', 'none in other letter case', { header: { alg: 'NonE' } }],
  ['algorithm', 'a property that every object has', { header: { alg: 'constructor' } }],
  ['type', 'an access token', { header: { typ: 'at+jwt' } }],
  ['type', 'an empty type', { header: { typ: '' } }],
  ['key-unknown', 'another kid', { header: { kid: 'TEST-KEY' } }],
  ['key-unknown', 'an empty kid', { header: { kid: '' } }],
  ['key-unknown', 'ES256 with the kid of an RSA key', { header: { alg: 'ES256' } }],
  ['key-unknown', 'RS256 with the kid of an EC key', { header: { kid: 'ec-key' } }],
  ['issuer-unknown', 'a different issuer with the same keys', { claims: { iss: 'https://issuer.example/' } }],
  ['audience', 'our URL with a slash', { claims: { aud: `${AUDIENCE}/` } }],
  ['audience', 'our URL in capitals', { claims: { aud: 'https://STORE.example.com' } }],
  ['audience', 'two audiences', { claims: { aud: [AUDIENCE, 'https://other.example'] } }],
  ['audience', 'a list with a number', { claims: { aud: [AUDIENCE, 1] } }],
  ['audience', 'a list of lists', { claims: { aud: [[AUDIENCE]] } }],
  ['audience', 'an object', { claims: { aud: { 0: AUDIENCE } } }],
  ['audience', 'only a known other', { claims: { aud: ['o'] }, settings: { otherAudiences: ['o'] } }],
  ['audience', 'ours when the issuer has one of its own', { settings: { audience: 'api://x' } }],
  ['expired', 'at the end of the leeway', { claims: { iat: SECONDS - 60, exp: SECONDS - 30 } }],
  ['not-yet-valid', 'nbf in the future', { claims: { nbf: SECONDS + 30.5 } }],
  ['issued-in-future', 'iat in the future', { claims: { iat: SECONDS + 30.5 } }],
  ['life-too-long', 'more than 24 h', { claims: { exp: SECONDS + 86_401 } }],
  ['claim-invalid', 'no exp', { claims: { exp: undefined } }],
  ['claim-invalid', 'exp as a string', { claims: { exp: `${CLAIMS.exp}` } }],
  ['claim-invalid', 'exp as a list', { claims: { exp: [CLAIMS.exp] } }],
  ['claim-invalid', 'exp beyond any calendar', { claims: { exp: 1e300 } }],
  ['claim-invalid', 'a negative iat', { claims: { iat: -1 } }],
  ['claim-invalid', 'an exp that is not after iat', { claims: { iat: SECONDS + 20, exp: SECONDS + 20 } }],
  ['claim-invalid', 'an empty jti', { claims: { jti: '' } }],
  ['claim-invalid', 'a jti of 256 characters', { claims: { jti: 'x'.repeat(256) } }],
  ['claim-invalid', 'a jti with U+0000', { claims: { jti: 'a\0b' } }],
  ['claim-invalid', 'a claim with U+0000 that would be kept', { claims: { sub: 'a\0b' } }],
  ['claim-invalid', 'a claim that is too long to be kept', { claims: { sub: 'x'.repeat(1025) } }],
] satisfies readonly (readonly [string, string, Given])[]) {
  test(`refuses with ${reason}: ${what}`, async () => {
    await assert.rejects(verify(given), { reason, name: 'RequestError' })
  })
}

test('refuses numbers that are too large for JSON', async () => {
  const claims = JSON.stringify(CLAIMS).replace(`"exp":${CLAIMS.exp}`, '"exp":1e999')
  const text = signText(
    `${Buffer.from(JSON.stringify(HEADER)).toString('base64url')}.${Buffer.from(claims).toString('base64url')}`,
  )
  const by = { issuer: ISSUER, keys: KEYS, audience: AUDIENCE, now: NOW }
  await assert.rejects(verifyIdToken(readIdToken(text), by), { reason: 'claim-invalid' })
})

test('refuses half a character in a claim that would be kept', async () => {
  await assert.rejects(verify({ claims: { sub: 'a\ud800' } }), { reason: 'claim-invalid' })
})

test('refuses a token whose payload or signature is exchanged', async () => {
  const text = signToken(HEADER, CLAIMS)
  const other = signToken(HEADER, { ...CLAIMS, sub: 'another' })
  const [header, , signature] = text.split('.')
  const [, payload] = other.split('.')
  const by = { issuer: ISSUER, keys: KEYS, audience: AUDIENCE, now: NOW }
  for (const forged of [
    `${header}.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}.AAAA`,
  ]) {
    await assert.rejects(verifyIdToken(readIdToken(forged), by), { reason: 'signature' })
  }
})

test('refuses an algorithm that the discovery document does not name', async () => {
  const keys = await importKeys(testKeySet(), '["ES256"]')
  await assert.rejects(verify({}, keys), { reason: 'algorithm' })
  await verify({ header: { alg: 'ES256', kid: 'ec-key' } }, keys)
})

const RSA = testKeys().rsa.publicKey.export({ format: 'jwk' })
const OTHER = testKeys().replaced.publicKey.export({ format: 'jwk' })

test('a token without kid is verified only if the issuer has a single key', async () => {
  const header = { kid: undefined }
  await verify({ header }, await importKeys(JSON.stringify({ keys: [RSA] })))
  const two = await importKeys(JSON.stringify({ keys: [RSA, OTHER] }))
  await assert.rejects(verify({ header }, two), { reason: 'key-unknown' })
  const named = await importKeys(JSON.stringify({ keys: [{ ...RSA, kid: 'a' }] }))
  await verify({ header }, named)
})

test('tries both of two keys with the same kid', async () => {
  const keys = await importKeys(
    JSON.stringify({ keys: [OTHER, RSA].map((key) => ({ ...key, kid: 'test-key' })) }),
  )
  await verify({}, keys)
})

test('does not try the last of five keys with the same kid', async () => {
  // Key sets are sorted: keys with an "alg" come before the key of the test.
  const others = [251, 253, 255, 249].map((byte) => ({
    ...{ ...OTHER, alg: 'RS256', kid: 'test-key' },
    n: Buffer.alloc(256, byte).toString('base64url'),
  }))
  const verifyAfter = async (count: number) => {
    const keys = [...others.slice(0, count), { ...RSA, kid: 'test-key' }]
    return verify({}, await importKeys(JSON.stringify({ keys })))
  }
  await verifyAfter(3)
  await assert.rejects(verifyAfter(4), { reason: 'signature' })
})

test('RSA keys without alg verify every RSA algorithm', async () => {
  await verify(
    { header: { alg: 'PS256' } },
    await importKeys(JSON.stringify({ keys: [{ ...RSA, kid: 'test-key' }] })),
  )
})
