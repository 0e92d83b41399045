/** Guarantee: a rule names permanent ids and is narrow; risky ones get a warning. The vectors have more cases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuerOf } from '../../../test/support/id-tokens.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { KIND_NAMES, type KindName, kindOf } from '../issuers/kinds.ts'
import { checkRule } from './check-rule.ts'
import { readMatch } from './matchers/read-match.ts'
import { idsOfJob, idsOfRule, stableIdsOf } from './stable-ids.ts'

const issuer = (kind: KindName, settings: Partial<Issuer['settings']> = {}): Issuer => {
  const one = issuerOf({ kind, issuer: 'https://issuer.example' })
  return { ...one, settings: { ...one.settings, ...settings } }
}
const check = (kind: KindName, match: object, settings?: Partial<Issuer['settings']>) =>
  checkRule(issuer(kind, settings), readMatch(match))

const GITHUB = { repository_id: '74', repository_owner_id: '65' }
const CIRCLECI = { 'oidc.circleci.com/project-id': 'p', 'oidc.circleci.com/vcs-ref': 'refs/heads/main' }
const K8S = '/kubernetes.io'
const WORKFLOW = 'octo-org/tools/.github/workflows/publish.yml'

for (const [kind, match, warning] of [
  ['github', { ...GITHUB, environment: 'prod' }, /only environment lets in every branch and workflow/],
  ['github', { ...GITHUB, environment: 'prod', ref: 'refs/heads/main' }, undefined],
  ['github', { ...GITHUB, ref: 'refs/heads/main' }, undefined],
  ['github', { ...GITHUB, job_workflow_ref: `${WORKFLOW}@refs/heads/main` }, undefined],
  ['github', { ...GITHUB, job_workflow_ref: { glob: `${WORKFLOW}@refs/heads/*` } }, /leaves the ref open/],
  ['github', { ...GITHUB, job_workflow_ref: { any_of: ['x', { glob: `${WORKFLOW}@*` }] } }, /ref open/],
  [
    'github',
    { ...GITHUB, repository: 'octo-org/tools', job_workflow_ref: { glob: `${WORKFLOW}@refs/heads/*` } },
    undefined,
  ],
  [
    'github',
    { ...GITHUB, repository: 'octo-org/other', job_workflow_ref: { glob: `${WORKFLOW}@refs/heads/*` } },
    /leaves the ref open/,
  ],
  [
    'github',
    { ...GITHUB, ref: 'refs/heads/main', event_name: { any_of: ['push', 'pull_request'] } },
    /event_name lets in "pull_request"/,
  ],
  ['github', { ...GITHUB, ref: 'refs/heads/main', event_name: 'release' }, undefined],
  ['gitlab', { project_id: '20', environment_protected: 'true', ref_protected: 'true' }, /always "false"/],
  ['gitlab', { project_id: '20', ref: 'main' }, /ref is the same for a branch and a tag/],
  ['gitlab', { project_id: '20', environment: 'prod' }, /only environment lets in every branch/],
  ['gitlab', { project_id: '20', ref_path: 'refs/heads/main' }, undefined],
  [
    'gitlab',
    { project_id: '20', ref_path: 'refs/heads/main', pipeline_source: 'merge_request_event' },
    /lets in "merge_request_event"/,
  ],
  ['forgejo', { repository_id: '1', sub: 'repo:o-1/r-1:ref:refs/heads/main' }, /sub adds nothing/],
  ['forgejo', { repository_id: 1, ref: 'refs/heads/main' }, undefined],
  ['circleci', CIRCLECI, /Without oidc\.circleci\.com\/vcs-origin, builds of forks/],
  ['circleci', { ...CIRCLECI, 'oidc.circleci.com/vcs-origin': 'github.com/o/r' }, undefined],
  [
    'circleci',
    {
      ...CIRCLECI,
      'oidc.circleci.com/vcs-origin': 'github.com/o/r',
      'oidc.circleci.com/ssh-rerun': true,
    },
    /ssh-rerun lets in true/,
  ],
  ['buildkite', { pipeline_id: 'p', build_branch: 'main' }, undefined],
  ['bitbucket', { workspaceUuid: '{w}', repositoryUuid: '{r}', branchName: 'main' }, undefined],
  ['google', { sub: '113774264463038321964', email: 'a@b.example' }, undefined],
  ['azure-devops', { prj_id: 'p', def_id: '1', rpo_ref: 'refs/heads/main' }, undefined],
  ['jenkins', { sub: 'https://jenkins.example/job/x/' }, /Jenkins has no permanent ids/],
  ['kubernetes', { [`${K8S}/serviceaccount/uid`]: 'u', [`${K8S}/namespace`]: 'n' }, /Only projected tokens/],
  ['generic', { sub: 'x' }, undefined],
] satisfies readonly (readonly [KindName, object, RegExp | undefined])[]) {
  test(`${kind} ${JSON.stringify(match)} gets ${warning === undefined ? 'no warning' : `the warning ${warning.source}`}`, () => {
    const { warnings } = check(kind, match)
    if (warning === undefined) assert.deepEqual(warnings, [])
    else assert.match(warnings.join('\n'), warning)
  })
}

for (const [kind, match, message] of [
  ['github', {}, /repository_id and repository_owner_id are needed.*One of environment, workflow_ref, job_/],
  ['github', { ...GITHUB }, /One of environment, workflow_ref, job_workflow_ref, ref is needed/],
  ['github', { ...GITHUB, ref: 'x', repository_id: 74 }, /repository_id: ids are .*string of digits/],
  ['github', { ...GITHUB, ref: 'x', repository_id: { any_of: ['74'] } }, /repository_id: ids are matched/],
  ['github', { ...GITHUB, ref: 'x', repository_id: 'octo-org/octo-repo' }, /repository_id: ids are matched/],
  ['github', { ...GITHUB, ref: { any_of: ['x', { glob: 'x*' }] } }, /ref: a pattern begins with literal/],
  [
    'github',
    { ...GITHUB, ref: 'x', event_name: { any_of: ['push', { fold: 'Workflow_Run' }] } },
    /event workflow_run is never allowed/,
  ],
  ['github', { ...GITHUB, sub: 'x', ref: 'x' }, /sub is not matched on GitHub Actions/],
  ['gitlab', { project_id: '20', sub: 'x' }, /sub is not matched on GitLab/],
  ['forgejo', { repository_id: '1' }, /One of workflow_ref, ref, sub is needed/],
  ['forgejo', { repository_id: { fold: '1' }, ref: 'x' }, /repository_id: ids are matched exactly/],
  ['circleci', { 'oidc.circleci.com/project-id': 'p' }, /pipeline-definition-id, .*vcs-ref is needed/],
  ['buildkite', { pipeline_slug: 'p', organization_slug: 'o', build_branch: 'm' }, /pipeline_id is needed/],
  ['bitbucket', { repositoryUuid: '{r}', branchName: 'main' }, /workspaceUuid is needed/],
  [
    'google',
    { sub: 'releaser@example' },
    /sub: ids are matched exactly, and this one is a string of digits in ID tokens of Google Cloud\./,
  ],
  ['azure-devops', { prj_id: 'p', def_id: '1' }, /rpo_ref is needed/],
  ['jenkins', { sub: { glob: 'https://jenkins.example/*' } }, /sub: ids are matched exactly/],
  ['generic', { sub: '' }, /sub: ids are matched exactly/],
  ['generic', { sub: true }, /sub: ids are matched exactly/],
  ['generic', { sub: '\n'.repeat(500) }, /The ids are longer/],
] satisfies readonly (readonly [KindName, object, RegExp])[]) {
  test(`refuses ${kind} ${JSON.stringify(match).slice(0, 99)}`, () => {
    assert.throws(() => check(kind, match), { code: 'invalid-field', extra: { field: 'match' }, message })
  })
}

test('adds ref_protected to a rule for GitLab without ref_protected, ref_path and environment', () => {
  const implied = (match: object) => check('gitlab', { project_id: '20', ...match }).match['ref_protected']
  assert.equal(implied({}), 'true')
  assert.equal(implied({ ref: 'main' }), 'true')
  assert.equal(implied({ pipeline_source: 'push' }), 'true')
  assert.equal(implied({ ref_path: 'refs/heads/main' }), undefined)
  assert.equal(implied({ environment: 'prod' }), undefined)
  assert.equal(implied({ ref_protected: 'false' }), 'false')
})

test('accepts names instead of ids only if the operator allowed it and the kind has names', () => {
  const accepted = { namesCanBeReused: true }
  const byName = { repository: 'user1/testing', ref: 'refs/heads/main' }
  assert.match(check('forgejo', byName, accepted).warnings.join(), /The rule matches names/)
  assert.throws(() => check('forgejo', byName), /repository_id is needed/)
  assert.throws(() => check('forgejo', { ref: 'x' }, accepted), /repository is needed/)
  assert.throws(
    () => check('forgejo', { ...byName, repository: { fold: 'x' } }, accepted),
    /repository: ids are/,
  )
  assert.deepEqual(check('forgejo', { repository_id: '1', ref: 'x' }, accepted).warnings, [])
  assert.throws(() => check('github', { repository: 'o/r', ref: 'x' }, accepted), /repository_id and/)
})

test('the stable claims of an issuer replace sub, only for the generic kind', () => {
  const settings = { stableClaims: ['project', '/job/id'] }
  const match = { project: 'p', '/job/id': 7 }
  assert.deepEqual(check('generic', match, settings).warnings, [])
  assert.throws(() => check('generic', { sub: 'x' }, settings), /project and \/job\/id are needed/)
  assert.equal(idsOfRule(issuer('generic', settings), match), '["p",7]')
  assert.deepEqual(stableIdsOf(issuer('google', settings)), ['sub'])
})

test("a job's rules are found by its ids, or by its name if the operator allowed it", () => {
  const [strict, lax] = [issuer('forgejo'), issuer('forgejo', { namesCanBeReused: true })]
  const byId = { repository_id: '1', ref: 'x' }
  const byName = { repository: 'o/r', ref: 'x' }
  const keys = [idsOfRule(lax, byId), idsOfRule(lax, byName)]
  assert.deepEqual(idsOfJob(lax, { repository_id: '1', repository: 'o/r' }), keys)
  assert.deepEqual(idsOfJob(lax, { repository: 'o/r' }), [keys[1]])
  assert.deepEqual(idsOfJob(strict, { repository_id: '1', repository: 'o/r' }), [keys[0]])
  assert.deepEqual(idsOfJob(strict, { repository: 'o/r' }), [])
  for (const id of [null, undefined, ['1'], { 0: '1' }])
    assert.deepEqual(idsOfJob(strict, { repository_id: id }), [])
  // A name never counts as an id.
  assert.notDeepEqual(idsOfJob(lax, { repository: '1' }), idsOfJob(lax, { repository_id: '1' }))
  assert.throws(() => idsOfRule(strict, byName), TypeError)
  assert.deepEqual(idsOfJob(strict, { repository_id: 'x'.repeat(2000) }), [])
})

test('every kind keeps the claims that it requires', () => {
  for (const name of KIND_NAMES) {
    const { stableIds, run, kept, events } = kindOf(name)
    for (const claim of [...stableIds, run, events?.claim]) {
      assert.ok(claim === undefined || kept.includes(claim), `${name}: ${claim} is kept`)
    }
  }
})
