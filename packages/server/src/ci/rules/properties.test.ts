/** Properties of matching signed tokens to rules, for any claims that an issuer signs and any rule. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@ratafia/api'
import fc from 'fast-check'
import { issuerOf, signToken, testKeySet } from '../../../test/support/id-tokens.ts'
import { RequestError } from '../../errors.ts'
import type { Claims } from '../id-token/id-token.ts'
import { importIssuerKeys, readKeySet } from '../id-token/issuer-keys.ts'
import { readIdToken } from '../id-token/read.ts'
import { verifyIdToken } from '../id-token/verify.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { describeJob } from '../issuers/job.ts'
import { KIND_NAMES, type KindName, kindOf } from '../issuers/kinds.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { checkRule } from './check-rule.ts'
import { explainRule } from './explain.ts'
import { matchRules } from './match.ts'
import type { Match } from './matcher.ts'
import { readMatch } from './matchers/read-match.ts'
import { compareRules } from './nothing-granted.ts'
import type { Rule } from './rule.ts'
import { idsOfJob, idsOfRule, stableIdsOf } from './stable-ids.ts'

const AUDIENCE = 'https://store.example.com'
const NOW = new Date('2026-11-24T12:00:00Z')
const SECONDS = NOW.getTime() / 1000
const KEYS = await importIssuerKeys({ revision: '1', keys: readKeySet(testKeySet()), algorithms: '[]' })

const issuerOfKind = (kind: KindName): Issuer => issuerOf({ kind, issuer: 'https://issuer.example' })

const ruleOf = (issuer: Issuer, match: Match): Rule => ({
  ...{
    id: 'r',
    name: 'r',
    issuerId: issuer.id,
    accountId: 'a' as AccountId,
    version: '1',
    match,
    lifetime: 1,
  },
  grants: { permissions: [], packages: [], channels: null, storeIds: null },
  ...{ createdAt: NOW, disabledAt: undefined, lastUsedAt: undefined },
})

async function verified(issuer: Issuer, claims: Claims) {
  const base = { iss: issuer.url, aud: AUDIENCE, iat: SECONDS, exp: SECONDS + 300 }
  const text = signToken({ alg: 'ES256', kid: 'ec-key' }, { ...base, ...claims })
  return verifyIdToken(readIdToken(text), { issuer, keys: KEYS, audience: AUDIENCE, now: NOW })
}

/** Names that have a meaning for a kind, and values that come close. */
const names = [...new Set(KIND_NAMES.flatMap((name) => [...kindOf(name).kept, ...kindOf(name).oneOf]))]
const text = fc.oneof(fc.constantFrom('74', 'push', 'refs/heads/main'), fc.string({ unit: 'binary' }))
const scalar = fc.oneof(text, fc.integer(), fc.boolean())
const claims = fc.dictionary(
  fc.constantFrom(...names, 'aud', 'exp', 'iat', 'nbf', 'jti', 'kubernetes.io'),
  fc.oneof(scalar, fc.jsonValue()),
  { maxKeys: 12 },
)
const kinds = fc.constantFrom(...KIND_NAMES)

test('any signed token is verified or refused with a reason, and a database can store the kept claims', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(kinds, claims, async (kind, signed) => {
      const issuer = issuerOfKind(kind)
      try {
        const token = await verified(issuer, signed)
        accepted += 1
        const job = describeJob('r', issuer, token)
        for (const value of [token.key, job, ...Object.values(token.kept)]) {
          assert.ok(typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')))
        }
        assert.ok(token.key.length <= 255 && job.length <= 120)
        const rule = ruleOf(issuer, { sub: 'x', '/kubernetes.io/namespace': { glob: 'a*' } })
        assert.ok(idsOfJob(issuer, token.claims).every((ids) => ids.isWellFormed()))
        assert.equal(explainRule(rule, issuer, token.claims, { audience: AUDIENCE, now: NOW }).holds, false)
        assert.equal(compareRules(token, issuer, [{ rule }]).length, 1)
        matchRules(token, issuer, [{ rule }])
        assert.fail('no rule should match')
      } catch (error) {
        assert.ok(error instanceof ExchangeRefusal, String(error))
      }
    }),
    { numRuns: 400 },
  )
  assert.ok(accepted > 50, `${accepted} tokens were verified`)
})

const single = fc.oneof(scalar, fc.record({ fold: text }), fc.record({ glob: text }))
const matcher = fc.oneof(single, fc.record({ any_of: fc.array(single, { minLength: 1, maxLength: 3 }) }))
const matches = fc.dictionary(fc.constantFrom(...names, 'sub', 'email'), matcher, { maxKeys: 6 })

test('an accepted rule is found by its ids, and matches only jobs with these ids', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(kinds, matches, fc.nat(), async (kind, wanted, at) => {
      const issuer = issuerOfKind(kind)
      const ids = stableIdsOf(issuer)
      const given = { ...wanted, ...Object.fromEntries(ids.map((id, place) => [id, `${74 + place}`])) }
      const match = tryCheck(issuer, kind === 'github' || kind === 'gitlab' ? without(given, 'sub') : given)
      if (match === undefined) return
      accepted += 1
      const said = (changed: number) =>
        jobOf(ids, (place) => (place === changed ? 'another' : `${74 + place}`))
      assert.deepEqual(idsOfJob(issuer, said(-1)), [idsOfRule(issuer, match)])
      const other = said(at % ids.length)
      assert.ok(!idsOfJob(issuer, other).includes(idsOfRule(issuer, match)))
      const token = await verified(issuer, { ...other, event_name: 'push' })
      assert.throws(() => matchRules(token, issuer, [{ rule: ruleOf(issuer, match) }]), { reason: 'no-rule' })
    }),
    { numRuns: 1000 },
  )
  assert.ok(accepted > 50, `${accepted} rules were accepted`)
})

const without = (match: Readonly<Record<string, unknown>>, claim: string) =>
  Object.fromEntries(Object.entries(match).filter(([name]) => name !== claim))

function tryCheck(issuer: Issuer, match: unknown): Match | undefined {
  try {
    return checkRule(issuer, readMatch(match)).match
  } catch (error) {
    assert.ok(error instanceof RequestError, String(error))
    return undefined
  }
}

/** Returns a job's claims: the ids by name, or within an object if they are JSON Pointers. */
function jobOf(ids: readonly string[], valueAt: (place: number) => string): Claims {
  const [uid, namespace] = [valueAt(0), valueAt(1)]
  const nested = { 'kubernetes.io': { namespace, serviceaccount: { uid } } }
  return { ...nested, ...Object.fromEntries(ids.map((id, place) => [id, valueAt(place)])) }
}
