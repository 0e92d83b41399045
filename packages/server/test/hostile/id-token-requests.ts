/**
 * Exchanges of the worst jobs: ID tokens of an issuer that signs anything, of unknown issuers, and damaged
 * ones, with absurd parameters.
 */
import assert from 'node:assert/strict'
import { TOKEN_EXCHANGE, TOKEN_TYPES } from '@ratafia/api'
import fc from 'fast-check'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { deciding } from '../support/authorities.ts'
import { EXCHANGE, formOf, withIssuer } from '../support/exchanges.ts'
import { oidcVectors, signText, signToken, testKeySet } from '../support/id-tokens.ts'
import { addPerson, type TestService } from '../support/service.ts'
import type { RawRequest } from './pipeline.ts'
import { anyText, anyValue } from './publisher-texts.ts'
import { damaged, headerText, type Seeds } from './requests.ts'

type Claims = Readonly<Record<string, unknown>>

/** Claims that a rule matches, of two issuers with pinned keys, so that nothing must be fetched. */
export interface JobSeeds {
  readonly github: Claims
  readonly generic: Claims
}

export async function jobSeeds(service: TestService): Promise<JobSeeds> {
  const { installation, baseUrl } = service
  const account = (await addPerson(service)).username
  const deps = { ...installation, jobMaxLifetime: installation.config.jobMaxLifetime }
  const grants = { permissions: ['package_upload', 'package_release'], channels: ['latest/edge'] }
  const rule = { maker: { authority: deciding() }, account, packages: [{ name: 'hello' }], grants }
  const vector = oidcVectors().rules.get('github-environment') ?? assert.fail('the rule does not exist')
  const [github, generic] = [vector.issuer, 'https://generic.example.com']
  await withIssuer(service, { url: github, kind: 'github', jwks: testKeySet() })
  await withIssuer(service, { url: generic, kind: 'generic', jwks: testKeySet() })
  await addRule({ ...rule, name: 'github', issuer: github, match: vector.match, lifetime: undefined }, deps)
  await addRule({ ...rule, name: 'sub', issuer: generic, match: { sub: 'job' }, lifetime: undefined }, deps)
  const seconds = Math.floor(service.now().getTime() / 1000)
  const now = { aud: baseUrl, iat: seconds, nbf: seconds, exp: seconds + 80_000 }
  const base = oidcVectors().claimSets.get('github-environment') ?? assert.fail('the claims do not exist')
  return { github: { ...base.claims, ...now }, generic: { iss: generic, sub: 'job', ...now } }
}

/** Exchanges, most of them with a valid or nearly valid signature. */
export function idTokenRequests({ jobs }: Seeds): fc.Arbitrary<RawRequest> {
  return fc.tuple(idTokens(jobs), parameters, headers, fc.boolean()).map(([token, more, extra, isForm]) => {
    const fields = {
      grant_type: TOKEN_EXCHANGE,
      subject_token_type: TOKEN_TYPES.jwt,
      subject_token: token,
      ...more,
    }
    return {
      method: 'POST',
      path: EXCHANGE,
      headers: {
        ...extra,
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      },
      body: (isForm ? formOf(asTexts(fields)) : JSON.stringify(fields)).slice(0, MOST),
    }
  })
}

/** Below the size that closes the connection. */
const MOST = 65_000

const asTexts = (fields: Claims) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(text) : text(value),
    ]),
  )
const text = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

const idTokens = (jobs: JobSeeds): fc.Arbitrary<string> => {
  const signed = fc.tuple(tokenHeaders, claimsLike(jobs)).map(([header, claims]) => signToken(header, claims))
  const bytes = fc.tuple(
    fc.constantFrom(HEADER_BYTES, '{', '[]', '{"alg":"ES256"}', deep(300), '\0'),
    anyText,
  )
  return fc.oneof(
    { weight: 12, arbitrary: signed },
    {
      weight: 3,
      arbitrary: signed.chain((token) =>
        damaged(Buffer.from(token)).map((cut) => Buffer.from(cut).toString('latin1')),
      ),
    },
    // Correctly signed, but without valid claims.
    {
      weight: 2,
      arbitrary: bytes.map(([head, body]) => signText(`${base64Url(head)}.${base64Url(body)}`, 'ES256')),
    },
    anyText,
    fc.constantFrom(
      ...['..', '.', 'e30.e30.', 'a'.repeat(16_385), `${'a'.repeat(5_000)}.e30.e30`, '.'.repeat(9_000)],
    ),
  )
}

const base64Url = (bytes: string) => Buffer.from(bytes).toString('base64url')
const HEADER_BYTES = JSON.stringify({ alg: 'ES256', kid: 'ec-key' })
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const TOKEN_HEADER = { alg: 'ES256', kid: 'ec-key', typ: 'JWT' }
const tokenHeaders: fc.Arbitrary<Claims> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(TOKEN_HEADER) },
  fc
    .dictionary(
      fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'jku', 'jwk', 'x5c', 'zip', '__proto__'),
      fc.oneof(
        fc.constantFrom('none', 'HS256', 'RS256', 'PS256', 'ES256', 'EdDSA', 'test-key', 'JWT', 'at+jwt'),
        anyValue,
      ),
    )
    .map((more) => ({ ...TOKEN_HEADER, ...more })),
)

/** Changes one or two claims of a job, or adds more. */
function claimsLike({ github, generic }: JobSeeds): fc.Arbitrary<Claims> {
  const names = [...new Set([...Object.keys(github), ...Object.keys(generic)])]
  const values = fc.oneof(
    fc.constantFrom<unknown>(0, -1, 1e300, 8.64e15, 4e9, true, null, '', [], {}, ['a'], 'x'.repeat(9_000)),
    fc.constantFrom(...Object.values(github), ...Object.values(generic)),
    anyValue,
  )
  const changes = fc.dictionary(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names, 'jti', 'run_id', 'sub') }, anyText),
    values,
    { maxKeys: 3 },
  )
  return fc
    .tuple(fc.constantFrom(github, generic), changes, fc.uuid(), fc.boolean())
    .map(([base, change, jti, isNew]) => ({ ...base, ...(isNew && { jti }), ...change }))
}

/** Rarely anything but what an exchange needs: a refusal before the ID token is read tests little. */
const parameters: fc.Arbitrary<Claims> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom(
      ...['requested_token_type', 'scope', 'rule', 'packages', 'channels', 'lifetime', 'description'],
      ...['audience', 'resource', 'actor_token', 'grant_type', 'subject_token_type', '__proto__', 'x'],
    ),
    fc.oneof(
      fc.constantFrom<unknown>(
        TOKEN_TYPES.pair,
        'package_upload',
        'github',
        'hello',
        'latest/edge',
        60,
        '900',
      ),
      fc.array(fc.oneof(fc.constantFrom('hello', 'latest/*', 'latest/edge'), anyText), { maxLength: 5 }),
      anyValue,
    ),
    { maxKeys: 2 },
  ),
)

/** From many addresses: otherwise the limit on failures would answer nearly all. */
const headers: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .tuple(
    fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 255 }), fc.nat({ max: 255 })),
    fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.record({ 'idempotency-key': headerText(80) })),
    fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, fc.record({ accept: headerText(60) })),
  )
  .map(([bytes, key, accept]) => ({
    ...key,
    ...accept,
    'x-forwarded-for': `10.${bytes.join('.')}`,
    'x-forwarded-proto': 'https',
  }))
