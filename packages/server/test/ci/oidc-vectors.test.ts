/**
 * Tests every case of the vectors for ID tokens and rules (test/vectors/oidc) with the functions that read, verify and
 * match, without a database. The tests of the endpoint cover decisions of the database.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@ratafia/api'
import { importIssuerKeys, readKeySet } from '../../src/ci/id-token/issuer-keys.ts'
import { readIdToken } from '../../src/ci/id-token/read.ts'
import { verifyIdToken } from '../../src/ci/id-token/verify.ts'
import type { Issuer } from '../../src/ci/issuers/issuer.ts'
import { ExchangeRefusal } from '../../src/ci/refusal.ts'
import { checkRule } from '../../src/ci/rules/check-rule.ts'
import { matchRules } from '../../src/ci/rules/match.ts'
import { readMatch } from '../../src/ci/rules/matchers/read-match.ts'
import type { Rule } from '../../src/ci/rules/rule.ts'
import { idsOfJob, idsOfRule } from '../../src/ci/rules/stable-ids.ts'
import { RequestError } from '../../src/errors.ts'
import {
  caseNamed,
  issuerOf,
  oidcVectors,
  ruleNamed,
  rulesOf,
  type SignedCase,
  signCase,
  type TokenCase,
  testKeySet,
  type VectorRule,
} from '../support/id-tokens.ts'

const { audience, token, rule: ruleCases, rules } = oidcVectors()

/** Returns the rule as `publishers add` would store it. */
function ruleOf(vector: VectorRule): Rule {
  const issuer = issuerOf(vector)
  return {
    id: `id of ${vector.name}`,
    name: vector.name,
    issuerId: issuer.id,
    accountId: 'account' as AccountId,
    version: '1',
    match: checkRule(issuer, readMatch(vector.match)).match,
    grants: {
      permissions: vector.grants.permissions,
      packages: vector.grants.packages.map(({ name }) => `id of ${name}`),
      channels: vector.grants.channels,
      storeIds: null,
    },
    lifetime: 900_000,
    createdAt: new Date(0),
    disabledAt: undefined,
    lastUsedAt: undefined,
  }
}

/** Returns all issuers of the vectors. Of the two for Forgejo, which differ in a setting, it has that of the rule. */
const issuersFor = (vectorRule: string): ReadonlyMap<string, Issuer> =>
  new Map([...rules.values(), ...rulesOf(vectorRule)].map((vector) => [vector.issuer, issuerOf(vector)]))

async function keysFor({ replaced = false } = {}) {
  const keys = readKeySet(testKeySet({ replaced }))
  return importIssuerKeys({ revision: '1', keys, algorithms: '[]' })
}

/** Performs an exchange up to the choice of its rule. */
async function decide(one: TokenCase, { text, clock }: SignedCase): Promise<Rule> {
  const unverified = readIdToken(text)
  const issuer = issuersFor(one.rule).get(unverified.unverifiedIssuer)
  if (issuer === undefined) throw new ExchangeRefusal('issuer-unknown', 'The issuer is unknown.')
  const keys = await keysFor({ replaced: one.id === 'jenkins-rekeyed' })
  const verified = await verifyIdToken(unverified, { issuer, keys, audience, now: clock })
  const candidates = rulesOf(one.rule).map((vector) => ({ rule: ruleOf(vector), vector }))
  // The database returns only rules with the job's ids. With more candidates, the result must be the same.
  const ids = idsOfJob(issuer, verified.claims)
  const stored = candidates.filter(
    ({ rule, vector }) =>
      rule.issuerId === issuer.id && ids.includes(idsOfRule(issuerOf(vector), rule.match)),
  )
  const outcome = outcomeOf(() => matchRules(verified, issuer, candidates).rule.name)
  assert.equal(
    outcomeOf(() => matchRules(verified, issuer, stored).rule.name),
    outcome,
  )
  return matchRules(verified, issuer, stored).rule
}

function outcomeOf(decision: () => string): string {
  try {
    return decision()
  } catch (error) {
    return String(error)
  }
}

/** Cases that the database, changing keys or the request decide. Here, their tokens are granted. */
const DECIDED_LATER = new Set([
  'replayed',
  'replayed-in-leeway',
  'raced',
  'replayed-without-jti',
  'replayed-resigned-text',
  'wider-scope',
  'longer-life',
  'account-disabled',
  'rule-removed-after',
  'keys-away-unknown',
  'key-withdrawn',
  'two-rules',
])

test('there are 78 cases for tokens and 17 for rules', () => {
  assert.deepEqual([token.length, ruleCases.length], [78, 17])
})

for (const one of token) {
  const isGranted = one.expect === 'granted' || DECIDED_LATER.has(one.id)
  test(`token ${one.id} ${isGranted ? 'is granted' : `is refused as ${one.expect} ${one.reason}`}`, async () => {
    const signed = signCase(one)
    if (isGranted) {
      const { name } = await decide(one, signed)
      assert.ok(one.rule.split(' + ').includes(name))
      return
    }
    await assert.rejects(decide(one, signed), (error) => {
      assert.ok(error instanceof ExchangeRefusal)
      assert.deepEqual([error.reason, error.code], [one.reason, one.expect.replace('_', '-')])
      return true
    })
  })
}

/** Cases about grants, which are checked separately from the match. */
const OF_GRANTS = new Set(['grants-everything', 'grants-account'])

/** The messages of refusals that are not a part of `expect`. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'azure-sub': /prj_id and def_id are needed/,
  'forgejo-without-ids': /repository_id is needed.*only an issuer added with --names-can-be-reused accepted/,
  'generic-without-sub': /sub is needed.*the claims that the issuer was added with as --stable-claims/,
  'empty-match': /sub is needed/,
  'kubernetes-names': /kubernetes\.io\/serviceaccount\/uid and \/kubernetes\.io\/namespace are needed/,
  'names-only': /repository_id and repository_owner_id are needed/,
  'sub-on-github': /repository_id and repository_owner_id are needed.*sub is not matched on GitHub/,
  'pull-request-target': /event pull_request_target is never allowed/,
}

for (const { id, rule, expect } of ruleCases) {
  const issuer = issuerOf({ kind: rule.kind, issuer: 'https://issuer.example' })
  if (expect.startsWith('accepted') || OF_GRANTS.has(id)) {
    test(`rule ${id} has an accepted match`, () => {
      const { match, warnings } = checkRule(issuer, readMatch(rule.match))
      assert.deepEqual(match, rule.match)
      // The vectors describe the warning for "sub" on Forgejo.
      assert.equal(warnings.length > 0, true)
    })
    continue
  }
  test(`rule ${id} is ${expect}`, () => {
    const words = WORDS[id] ?? new RegExp(expect.replace('refused: ', ''))
    assert.throws(
      () => checkRule(issuer, readMatch(rule.match)),
      (error) => {
        assert.ok(error instanceof RequestError)
        assert.equal(error.code, 'invalid-field')
        assert.match(error.message, words)
        return true
      },
    )
  })
}

test('the first by name of two rules with the same grants is used; with other grants, one must be named', async () => {
  const one = caseNamed('two-rules')
  const issuer = issuerOf(ruleNamed('github-environment'))
  const verified = await verifiedAt('github-environment', signCase(one))
  const [a, b] = rulesOf(one.rule).map(ruleOf)
  assert.ok(a && b)
  const found = (rules: readonly Rule[], named?: string) =>
    matchRules(
      verified,
      issuer,
      rules.map((rule) => ({ rule })),
      named,
    ).rule.name
  assert.equal(found([b, a]), 'github-environment')
  const wider = { ...b, grants: { ...b.grants, permissions: ['package_access'] } }
  for (const other of [wider, { ...b, accountId: 'other' as AccountId }, { ...b, lifetime: 60_000 }]) {
    assert.throws(() => found([a, other]), { reason: 'ambiguous-rule', code: 'invalid-request' })
    assert.equal(found([a, other], 'github-workflow'), 'github-workflow')
    assert.equal(found([a, { ...other, disabledAt: new Date(0) }]), 'github-environment')
  }
  assert.throws(() => found([a, b], 'another'), { reason: 'no-rule' })
})

test('the replay key is the jti, or the hash of the signed text without the signature', async () => {
  const twice = [0, 1].map(() => signCase(caseNamed('replayed-resigned-text')))
  assert.notEqual(twice[0]?.text, twice[1]?.text)
  const keys = await Promise.all(twice.map((signed) => verifiedAt('circleci', signed).then(({ key }) => key)))
  assert.match(keys[0] ?? '', /^sha256:[0-9a-f]{64}$/)
  assert.equal(keys[0], keys[1])
  const { key } = await verifiedAt('github-environment', signCase(caseNamed('good-github-environment')))
  assert.equal(key, '6fbebfe3-9eb4-4028-a592-5422768b53bc')
})

async function verifiedAt(rule: string, { text, clock }: SignedCase) {
  const by = { issuer: issuerOf(ruleNamed(rule)), keys: await keysFor(), audience, now: clock }
  return verifyIdToken(readIdToken(text), by)
}

test('a key that was removed from the set is unknown', async () => {
  const { text, clock } = signCase(caseNamed('key-withdrawn'))
  const keys = await importIssuerKeys({ revision: '2', keys: '{"keys":[]}', algorithms: '[]' })
  const by = { issuer: issuerOf(ruleNamed('github-workflow')), keys, audience, now: clock }
  await assert.rejects(verifyIdToken(readIdToken(text), by), { reason: 'key-unknown' })
})
