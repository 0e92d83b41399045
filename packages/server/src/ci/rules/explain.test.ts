import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@ratafia/api'
import { issuerOf, oidcVectors, rulesOf } from '../../../test/support/id-tokens.ts'
import type { Claims } from '../id-token/id-token.ts'
import { checkRule } from './check-rule.ts'
import { explainRule } from './explain.ts'
import { readMatch } from './matchers/read-match.ts'
import type { Rule } from './rule.ts'

const { audience, claimSets } = oidcVectors()
const [VECTOR = assert.fail()] = rulesOf('github-workflow')
const ISSUER = issuerOf(VECTOR)
const CLAIMS = claimSets.get('github-branch')?.claims ?? assert.fail()
const NOW = new Date(1_646_856_026_000)

const ruleOf = (match: unknown): Rule => ({
  ...{ id: 'r', name: 'r', issuerId: ISSUER.id, accountId: 'a' as AccountId, version: '1', lifetime: 1 },
  match: checkRule(ISSUER, readMatch(match)).match,
  grants: { permissions: [], packages: [], channels: null, storeIds: null },
  ...{ createdAt: NOW, disabledAt: undefined, lastUsedAt: undefined },
})
const explain = (claims: Claims, match: unknown = VECTOR.match, now = NOW) =>
  explainRule(ruleOf(match), ISSUER, claims, { audience, now })

test('each claim of the rule, issuer, event, audience and time has a line', () => {
  assert.deepEqual(explain(CLAIMS), {
    holds: true,
    lines: [
      {
        of: 'issuer',
        claim: 'iss',
        expected: '"https://token.actions.githubusercontent.com"',
        found: '"https://token.actions.githubusercontent.com"',
        holds: true,
      },
      { of: 'match', claim: 'repository_id', expected: '"74"', found: '"74"', holds: true },
      { of: 'match', claim: 'repository_owner_id', expected: '"65"', found: '"65"', holds: true },
      {
        of: 'match',
        claim: 'workflow_ref',
        expected: '{"glob":"octo-org/octo-repo/.github/workflows/release.yml@refs/heads/*"}',
        found: '"octo-org/octo-repo/.github/workflows/release.yml@refs/heads/main"',
        holds: true,
      },
      { of: 'match', claim: 'ref', expected: '"refs/heads/main"', found: '"refs/heads/main"', holds: true },
      {
        of: 'event',
        claim: 'event_name',
        expected: 'one of "push", "release", "workflow_dispatch", "schedule"',
        found: '"push"',
        holds: true,
      },
      {
        of: 'audience',
        claim: 'aud',
        expected: '"https://store.example.com"',
        found: '"https://store.example.com"',
        holds: true,
      },
      {
        of: 'time',
        claim: 'exp',
        expected: 'valid at 2022-03-09T20:00:26.000Z, within 30 s, and for at most 86400 s',
        found: 'valid',
        holds: true,
      },
    ],
  })
})

for (const [what, claims, claim, found] of [
  ['a different issuer', { iss: 'https://gitlab.com' }, 'iss', '"https://gitlab.com"'],
  ['a number', { repository_id: 74 }, 'repository_id', '74'],
  ['a list', { repository_id: ['74'] }, 'repository_id', 'a list'],
  ['an object', { ref: {} }, 'ref', 'an object'],
  ['null', { ref: null }, 'ref', 'null'],
  ['an absent claim', { ref: undefined }, 'ref', 'absent'],
  ['a pull request', { event_name: 'pull_request' }, 'event_name', '"pull_request"'],
  ['an absent event', { event_name: undefined }, 'event_name', 'absent'],
  ['a different audience', { aud: ['https://x.example', 1] }, 'aud', '["\\"https://x.example\\"","1"]'],
  [
    'an absent exp',
    { exp: undefined },
    'exp',
    'The ID token has no "exp", or one that is not a number of seconds.',
  ],
] as const) {
  test(`with ${what}, only the line of ${claim} does not match`, () => {
    const { holds, lines } = explain({ ...CLAIMS, ...claims })
    assert.equal(holds, false)
    const failed = lines.filter((line) => !line.holds)
    assert.deepEqual(
      failed.map((line) => [line.claim, line.found]),
      [[claim, found]],
    )
  })
}

test('the explanation of an old file shows when it expired', () => {
  const { holds, lines } = explain(CLAIMS, VECTOR.match, new Date('2026-01-01'))
  assert.equal(holds, false)
  assert.match(lines.at(-1)?.found ?? '', /expired at 2022-03-09T20:04:26\.000Z/)
})

test('a rule that names the event replaces the list; an event that is never allowed has its own line', () => {
  const match = { ...VECTOR.match, event_name: { any_of: ['push', 'pull_request'] } }
  const said = (event_name: string) =>
    explain({ ...CLAIMS, event_name }, match)
      .lines.filter(({ claim }) => claim === 'event_name')
      .map(({ of, holds }) => [of, holds])
  assert.deepEqual(said('pull_request'), [['match', true]])
  assert.deepEqual(said('workflow_run'), [
    ['match', false],
    ['event', false],
  ])
})
