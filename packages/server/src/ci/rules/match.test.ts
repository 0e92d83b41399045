/** Guarantee: a job gets what one rule of its issuer grants, and a refusal reveals nothing about rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@ratafia/api'
import { issuerOf, oidcVectors, rulesOf, signClaimSet, testKeySet } from '../../../test/support/id-tokens.ts'
import { importIssuerKeys, readKeySet } from '../id-token/issuer-keys.ts'
import { readIdToken } from '../id-token/read.ts'
import { verifyIdToken } from '../id-token/verify.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { matchRules } from './match.ts'
import type { Match } from './matcher.ts'
import { compareRules, nothingGranted } from './nothing-granted.ts'
import type { Rule } from './rule.ts'

const ISSUER = issuerOf(rulesOf('github-environment')[0] ?? assert.fail())
const KEYS = await importIssuerKeys({ revision: '1', keys: readKeySet(testKeySet()), algorithms: '[]' })

async function verified(name = 'github-environment', issuer = ISSUER) {
  const { text, clock } = signClaimSet(name)
  const by = { issuer, keys: KEYS, audience: oidcVectors().audience, now: clock }
  return verifyIdToken(readIdToken(text), by)
}
const TOKEN = await verified()

const ruleOf = (name: string, match: Match, more: Partial<Rule> = {}): { readonly rule: Rule } => ({
  rule: {
    ...{ id: name, name, issuerId: ISSUER.id, accountId: 'a' as AccountId, version: '1', match, lifetime: 1 },
    grants: { permissions: ['p', 'q'], packages: ['x'], channels: null, storeIds: null },
    ...{ createdAt: new Date(0), disabledAt: undefined, lastUsedAt: undefined, ...more },
  },
})
const HOLDS = { repository_id: '74' }
const NEVER = { repository_id: '75' }
const found = (...candidates: readonly { readonly rule: Rule }[]) =>
  matchRules(TOKEN, ISSUER, candidates).rule.name
const reasonOf = (...candidates: readonly { readonly rule: Rule }[]) => {
  try {
    return found(...candidates)
  } catch (error) {
    assert.ok(error instanceof ExchangeRefusal)
    return error.reason
  }
}

test('a rule matches only if all its matchers match', () => {
  assert.equal(reasonOf(), 'no-rule')
  assert.equal(reasonOf(ruleOf('a', NEVER)), 'no-rule')
  assert.equal(reasonOf(ruleOf('a', { ...HOLDS, actor: 'x' })), 'no-rule')
  assert.equal(reasonOf(ruleOf('a', { ...HOLDS, ref: 'refs/heads/main' })), 'a')
})

test('picks the first by name of rules that grant the same, in any order', () => {
  const reordered = { permissions: ['q', 'p', 'p'], packages: ['x'], channels: null, storeIds: null }
  assert.equal(
    reasonOf(ruleOf('b', HOLDS), ruleOf('a', HOLDS, { grants: reordered }), ruleOf('0', NEVER)),
    'a',
  )
  const wider = { ...reordered, channels: ['edge'] }
  assert.equal(reasonOf(ruleOf('b', HOLDS), ruleOf('a', HOLDS, { grants: wider })), 'ambiguous-rule')
  assert.equal(reasonOf(ruleOf('b', HOLDS), ruleOf('a', HOLDS, { lifetime: 2 })), 'ambiguous-rule')
  const elsewhere = { accountId: 'b' as AccountId }
  assert.equal(reasonOf(ruleOf('b', HOLDS), ruleOf('a', HOLDS, elsewhere)), 'ambiguous-rule')
})

test('finds a disabled rule only if no other rule matches', () => {
  const disabled = { disabledAt: new Date(0), lifetime: 2 }
  assert.equal(reasonOf(ruleOf('a', HOLDS, disabled), ruleOf('b', HOLDS)), 'b')
  assert.equal(reasonOf(ruleOf('b', HOLDS, disabled), ruleOf('a', HOLDS, disabled)), 'a')
})

test('an event that one rule refuses does not affect another rule', () => {
  const push = ruleOf('a', { ...HOLDS, event_name: 'push' })
  const token = { ...TOKEN, claims: { ...TOKEN.claims, event_name: 'pull_request' } }
  const asked = ruleOf('b', { ...HOLDS, event_name: 'pull_request' })
  assert.equal(matchRules(token, ISSUER, [push, ruleOf('c', HOLDS), asked]).rule.name, 'b')
  assert.throws(() => matchRules(token, ISSUER, [ruleOf('c', HOLDS)]), { reason: 'event' })
  assert.throws(() => matchRules(token, ISSUER, [push]), { reason: 'no-rule' })
  for (const event_name of ['pull_request_target', 'workflow_run', 'issue_comment', undefined, 7]) {
    // Such a rule cannot be created, and a row in the database would also grant nothing.
    const never = ruleOf('a', event_name === undefined ? HOLDS : { ...HOLDS, event_name })
    const started = { ...TOKEN, claims: { ...TOKEN.claims, event_name } }
    const allowed = event_name === 7
    if (allowed) assert.equal(matchRules(started, ISSUER, [never]).rule.name, 'a')
    else assert.throws(() => matchRules(started, ISSUER, [never]), { reason: 'event' })
  }
})

test('a rule of a different issuer never matches', () => {
  assert.equal(reasonOf(ruleOf('a', HOLDS, { issuerId: 'another' })), 'no-rule')
  assert.throws(() => matchRules(TOKEN, { ...ISSUER, id: 'another' }, []), TypeError)
})

test('the holder gets the same message for every reason, with nothing about a rule', () => {
  const messages = (['no-rule', 'event', 'rule-disabled', 'account-disabled'] as const).map(
    (reason) => nothingGranted(reason, ISSUER, TOKEN, 'entry-1').message,
  )
  assert.equal(new Set(messages).size, 1)
  assert.match(
    messages[0] ?? '',
    /^Nothing is granted to this job\. Its ID token comes from GitHub Actions and contains: repository "octo-org\/octo-repo", repository_id "74",.* The operator can find the comparison in audit entry entry-1\.$/,
  )
  assert.throws(
    () => found(ruleOf('secret-name', NEVER)),
    (error) => {
      assert.ok(error instanceof ExchangeRefusal)
      assert.doesNotMatch(error.message, /secret-name|75|actor|octocat/)
      return error.code === 'invalid-grant'
    },
  )
})

test('the comparison lists the claims that do not match, shortened and without e-mail addresses', async () => {
  const issuer = issuerOf(rulesOf('google')[0] ?? assert.fail())
  const token = await verified('google-service-account', issuer)
  const match = {
    sub: '113774264463038321964',
    email: { any_of: ['x', { fold: 'x@y.example' }] },
    azp: 'z'.repeat(300),
    hd: 'corp',
  }
  const rules = Array.from({ length: 12 }, (_, at) => ruleOf(`r${at}`, match, { issuerId: issuer.id }))
  const compared = compareRules(token, issuer, rules)
  assert.equal(compared.length, 10)
  assert.deepEqual(compared[0], {
    rule: 'r0',
    differences: [
      { claim: 'email', expected: '(an e-mail address)', found: '(an e-mail address)' },
      { claim: 'azp', expected: `"${'z'.repeat(199)}…`, found: '"113774264463038321964"' },
      { claim: 'hd', expected: '"corp"', found: 'absent' },
    ],
  })
})
