/** Words of the pages of publishing from CI. */
import { counted } from './common.ts'

const KINDS: Readonly<Record<string, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI/CD',
  forgejo: 'Forgejo Actions',
  circleci: 'CircleCI',
  buildkite: 'Buildkite',
  bitbucket: 'Bitbucket Pipelines',
  google: 'Google Cloud',
  'azure-devops': 'Azure DevOps',
  jenkins: 'Jenkins',
  kubernetes: 'Kubernetes',
  generic: 'OpenID Connect',
}

/** By claim: where it comes from, and what it guards. */
const CLAIMS: Readonly<Record<string, string>> = {
  repository_id: 'The number of the repository. It stays the same whatever the repository is called.',
  repository_owner_id: 'The number of the account or organisation that has the repository.',
  environment: 'The environment of the job. Protect it: reviewers, or only protected branches.',
  workflow_ref: 'The workflow that was started: OWNER/REPO/.github/workflows/release.yml@refs/heads/main',
  job_workflow_ref: 'The workflow that has the job, where it is reused by others.',
  ref: 'The branch or tag: refs/heads/main',
  project_id: 'The number of the project, on its page, or $CI_PROJECT_ID in a job.',
  ref_path: 'The branch or tag: refs/heads/main',
  ref_protected: 'true for a protected branch or tag.',
  'oidc.circleci.com/project-id': 'In Project Settings, Overview.',
  'oidc.circleci.com/pipeline-definition-id': 'The id of the pipeline definition.',
  'oidc.circleci.com/vcs-ref': 'The branch or tag: refs/heads/main',
  pipeline_id: '$BUILDKITE_PIPELINE_ID in a job.',
  build_branch: 'The branch: main',
  build_tag: 'The tag: v1.0',
  step_key: 'The key of the step. Whoever may change the pipeline chooses it.',
  workspaceUuid: 'With braces, in the settings for OpenID Connect.',
  repositoryUuid: 'With braces, in the settings for OpenID Connect.',
  branchName: 'The branch: main',
  deploymentEnvironmentUuid:
    'With braces, the id of the deployment environment. Limit who may use it, or which branches.',
  prj_id: '$(System.TeamProjectId) in a job.',
  def_id: '$(System.DefinitionId) in a job.',
  rpo_ref: 'The branch: refs/heads/main',
  sub: 'Who or what the ID token is about, as the issuer writes it.',
  '/kubernetes.io/namespace': 'The namespace of the job.',
  '/kubernetes.io/serviceaccount/uid': 'kubectl get serviceaccount NAME -o jsonpath={.metadata.uid}',
}

export const publishers = {
  title: 'Publishing from CI',
  what: 'A job of a CI system shows the ID token that its platform signs, and gets a token of yours for a few minutes. No secret is stored there. A rule says which job gets what.',
  make: 'New rule',
  empty: 'You have no rules yet.',
  emptyWhat:
    'With a rule, a job publishes without a stored secret: only jobs of the repository, branch or environment that you name, and only what you allow.',
  emptyStep: 'Make the first rule',
  emptyCommand: 'Or on the host of the service:',
  columns: { rule: 'Rule', matches: 'Matches', gives: 'Gives', used: 'Last used', state: 'State' },
  states: { active: 'active', disabled: 'disabled' },
  kind: (kind: string): string => KINDS[kind] ?? kind,
  claims: CLAIMS,
  neverMatched: 'never matched a job',
  unused: 'unused for 90 days',
  says: 'Which jobs',
  gives: 'What they get',
  issuer: 'Issuer',
  lastUse: 'Last used',
  madeAt: 'Made',
  lifetime: 'Minutes that a token lives',
  minutes: (seconds: number): string =>
    seconds % 60 === 0 ? counted(seconds / 60, 'minute', 'minutes') : counted(seconds, 'second', 'seconds'),
  made: (name: string): string => `Jobs that match the rule ${name} get tokens of yours from now on.`,
  pipeline: (platform: string): string => `What the job needs: ${platform}`,
  pipelineWhat:
    'One job builds; another publishes, and runs nothing else. The publishing job needs curl and ratafia-login.sh, which comes with Ratafia in examples/ci: put a copy into your repository as ci/ratafia-login.sh.',
  pipelineLabel: 'Pipeline',

  new: {
    title: 'New rule',
    whose: 'Whose jobs?',
    noIssuers: 'This service takes ID tokens of no CI system yet.',
    noIssuersWhat:
      'An operator adds each platform once. Then everybody can make rules for their own projects there.',
    noIssuersCommand: 'On the host of the service:',
    forJobs: (platform: string, username: string): string =>
      `Jobs of ${platform} that match this rule get tokens of ${username}.`,
    another: 'Another platform',
    name: 'Name of the rule',
    nameHint:
      'Lowercase letters, digits, dots and dashes, such as hello-release. The sessions that it opens have its name.',
    match: 'What the ID token has to say',
    matchWhat:
      'All of it must match exactly. Ids are needed, because somebody else can take a name once it is free.',
    oneOf: 'At least one of these as well, so that not every branch can publish:',
    more: 'More claims',
    moreHint:
      'One per line: claim=text or claim:=JSON, such as ref_path:={"glob":"refs/tags/v*"} or ref:={"any_of":["refs/heads/main","refs/heads/stable"]}',
    project: 'Address of the project',
    projectHint: 'Such as https://github.com/OWNER/REPO. The service asks there for the ids, once.',
    lookUp: 'Look up the ids',
    found: (project: string): string =>
      `These are the ids of ${project}. The rule matches them, not its name.`,
    packagesHint: 'Names or snap ids, with commas between. A rule is never for all packages.',
    channelsHint: 'Such as latest/edge, with commas between. Empty: all.',
    storesHint: 'Ids of stores, with commas between. Empty: all.',
    lifetimeHint: (most: number): string => `1 to ${most}. A job logs in once, right before it publishes.`,
    does: 'Make the rule',
  },
  problems: {
    issuer: 'Choose whose jobs the rule is for.',
    name: 'Give the rule a name.',
    permissions: 'Choose at least one thing that the jobs may do.',
    packages: 'Name at least one package.',
    lifetime: 'Give a number of minutes, such as 15.',
    project: 'Give the address of the project first.',
    line: (line: string): string => `The line ${line} is neither claim=text nor claim:=JSON.`,
    twice: (claim: string): string =>
      `The claim ${claim} is there twice. For either of two texts, write :={"any_of":["one","two"]}.`,
    json: (claim: string): string => `What follows := of the claim ${claim} is not JSON.`,
  },
  test: {
    open: 'Test it',
    title: (name: string): string => `Would a job get a token through ${name}?`,
    claims: 'ID token of a job, or its claims as JSON',
    claimsHint:
      'Nothing of it is stored, logged or used. The signature is not checked, and times are looked at as of when it was issued.',
    does: 'Compare',
    nothing: 'Paste an ID token, or its claims as JSON.',
    noJson: 'This begins like JSON, but is not.',
    holds: 'A job with these claims gets a token, if its ID token is signed and new.',
    holdsNot: 'A job with these claims gets nothing.',
    asOf: 'As of',
    lines: 'Claim by claim',
    columns: { holds: 'Holds', claim: 'Claim', expected: 'Expected', found: 'Found' },
    yes: 'yes',
    no: 'no',
  },
  remove: {
    open: 'Remove…',
    title: (name: string): string => `Remove the rule ${name}?`,
    what: (sessions: number): string =>
      `Jobs no longer get tokens through it${
        sessions === 0
          ? ''
          : `, and ${counted(sessions, 'session that it opened is', 'sessions that it opened are')} revoked within a second`
      }. This cannot be undone.`,
    does: 'Remove it',
    done: (name: string, sessions: number): string =>
      `The rule ${name} is removed${sessions === 0 ? '' : `, and ${counted(sessions, 'session is', 'sessions are')} revoked`}.`,
  },
} as const
