/** Guarantee: the claims kept from every system's token identify the job, and contain nothing about a person. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuerOf, oidcVectors, signClaimSet, testKeySet } from '../../../test/support/id-tokens.ts'
import { importIssuerKeys, readKeySet } from '../id-token/issuer-keys.ts'
import { readIdToken } from '../id-token/read.ts'
import { verifyIdToken } from '../id-token/verify.ts'
import type { Issuer } from './issuer.ts'
import { describeJob, keptClaims } from './job.ts'

const { claimSets } = oidcVectors()
const RUNS: Readonly<Record<string, string>> = {
  'azure-devops-pipeline': 'azure-devops run 5',
  'azure-devops-service-connection': 'azure-devops',
  bitbucket: 'bitbucket run {99999999-8888-4999-8000-111122223333}',
  'buildkite-default': 'buildkite run 1',
  'buildkite-with-ids': 'buildkite run 1',
  circleci: 'circleci run 77777777-7777-4777-8777-777777777777',
  'forgejo-15': 'forgejo run 43',
  'forgejo-with-ids': 'forgejo run 43',
  'gitlab-fork-merge-request': 'gitlab run 574',
  'gitlab-protected-tag': 'gitlab run 574',
  'gitlab-self-managed': 'gitlab run 574',
  'google-service-account': 'google',
  jenkins: 'jenkins run 42',
  'kubernetes-projected': 'kubernetes run bar',
}

const issuerFor = (name: string, settings: Partial<Issuer['settings']> = {}): Issuer => {
  const { kind, claims } = claimSets.get(name) ?? assert.fail(name)
  const issuer = issuerOf({ kind, issuer: String(claims['iss']) })
  return { ...issuer, settings: { ...issuer.settings, ...settings } }
}

const tokens = [...claimSets].filter(([name]) => name !== 'kubernetes-legacy-secret')

for (const [name, { claims }] of tokens) {
  test(`verifies ${name}, and describes and keeps it without personal data`, async () => {
    const { text, clock } = signClaimSet(name)
    const [audience = '', ...otherAudiences] = [claims['aud']].flat().map(String).toReversed()
    const issuer = issuerFor(name, { otherAudiences })
    const keys = await importIssuerKeys({ revision: '1', keys: readKeySet(testKeySet()), algorithms: '[]' })
    const verified = await verifyIdToken(readIdToken(text), { issuer, keys, audience, now: clock })
    assert.equal(describeJob('hello', issuer, verified), `hello: ${RUNS[name] ?? 'github run 1959414638'}`)
    const kept = Object.keys(verified.kept)
    assert.ok(kept.length > 0 || name === 'azure-devops-service-connection')
    assert.doesNotMatch(kept.join(' '), /actor|user|email|groups|identit/)
    assert.doesNotMatch(JSON.stringify(verified.kept), /octocat"|@example|sample-user|33333333/)
  })
}

test('does not keep lists, objects, null and strings that look like an e-mail address', () => {
  const issuer = issuerFor('github-branch')
  const claims = {
    ref: null,
    sha: ['x'],
    run_id: {},
    environment: 'a@b.example',
    event_name: 'of a@b.example',
    repository: 'o/r',
    run_attempt: 2,
  }
  assert.deepEqual(keptClaims(issuer, claims), { repository: 'o/r', run_attempt: 2 })
})

test('leaves a run that is not a single word out of the description', async () => {
  const { text, clock } = signClaimSet('jenkins')
  const issuer = issuerFor('jenkins')
  const keys = await importIssuerKeys({ revision: '1', keys: readKeySet(testKeySet()), algorithms: '[]' })
  const by = { issuer, keys, audience: oidcVectors().audience, now: clock }
  const verified = await verifyIdToken(readIdToken(text), by)
  for (const run of ['', 'a b', 'a\nb', '\u001b[2J', 'x'.repeat(65), 'é']) {
    assert.equal(describeJob('hello', issuer, { ...verified, kept: { build_number: run } }), 'hello: jenkins')
  }
})

test('keeps the stable claims of an issuer that has its own', () => {
  const issuer = issuerOf({ kind: 'generic', issuer: 'https://issuer.example' })
  const settings = { ...issuer.settings, stableClaims: ['project', '/job/id'] }
  const claims = { sub: 's', project: 'p', job: { id: 7 } }
  assert.deepEqual(keptClaims({ ...issuer, settings }, claims), { project: 'p', '/job/id': 7 })
  assert.deepEqual(keptClaims(issuer, claims), { sub: 's' })
})
