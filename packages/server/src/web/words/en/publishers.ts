/** The text of the pages about publishing from CI. */
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

/** Where each claim comes from, and what it protects. */
const CLAIMS: Readonly<Record<string, string>> = {
  repository_id: 'The number of the repository. It stays the same when the repository is renamed.',
  repository_owner_id: 'The number of the account or organisation that owns the repository.',
  environment: 'The environment of the job. Protect it with reviewers, or limit it to protected branches.',
  workflow_ref: 'The workflow that was started: OWNER/REPO/.github/workflows/release.yml@refs/heads/main',
  job_workflow_ref: 'The workflow that contains the job, if other workflows reuse it.',
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
  step_key: 'The key of the step. Anyone who can change the pipeline chooses it.',
  workspaceUuid: 'With braces, in the settings for OpenID Connect.',
  repositoryUuid: 'With braces, in the settings for OpenID Connect.',
  branchName: 'The branch: main',
  deploymentEnvironmentUuid:
    'The id of the deployment environment, with braces. Limit its users or its branches.',
  prj_id: '$(System.TeamProjectId) in a job.',
  def_id: '$(System.DefinitionId) in a job.',
  rpo_ref: 'The branch: refs/heads/main',
  sub: 'The subject of the ID token, as the issuer writes it.',
  '/kubernetes.io/namespace': 'The namespace of the job.',
  '/kubernetes.io/serviceaccount/uid': 'kubectl get serviceaccount NAME -o jsonpath={.metadata.uid}',
}

export const publishers = {
  title: 'Publishing from CI',
  what: 'A CI job presents the ID token that its platform signs, and gets a token of yours for a few minutes. The platform stores no secret. A CI rule decides which jobs get a token, and its limits.',
  make: 'Create CI rule…',
  empty: 'No CI rules yet.',
  emptyWhat:
    'With a CI rule, a job publishes without a stored secret: only jobs of the repository, branch or environment that you name, and only what you allow.',
  emptyStep: 'Create the first CI rule…',
  emptyCommand: 'Or on the host of the service:',
  columns: { rule: 'CI rule', matches: 'Claims', gives: 'Permissions', used: 'Last used', state: 'State' },
  states: { active: 'active', disabled: 'disabled' },
  kind: (kind: string): string => KINDS[kind] ?? kind,
  claims: CLAIMS,
  neverMatched: 'never matched a job',
  unused: 'unused for 90 days',
  says: 'Matching jobs',
  gives: 'Token limits',
  issuer: 'Issuer',
  lastUse: 'Last used',
  madeAt: 'Created',
  lifetime: 'Token lifetime (minutes)',
  lives: 'Token lifetime',
  minutes: (seconds: number): string =>
    seconds % 60 === 0 ? counted(seconds / 60, 'minute', 'minutes') : counted(seconds, 'second', 'seconds'),
  made: (name: string): string =>
    `CI rule ${name} created. Jobs that match it get tokens of yours from now on.`,
  pipeline: (platform: string): string => `Job for ${platform}`,
  pipelineWhat:
    'Build in one job, and publish in another that runs nothing else. The publishing job needs curl and ratafia-login.sh, which is in examples/ci of Ratafia: copy it into your repository as ci/ratafia-login.sh.',
  pipelineLabel: 'Pipeline',

  new: {
    title: 'New CI rule',
    whose: 'Which platform?',
    noIssuers: 'No CI platforms yet.',
    noIssuersWhat:
      'An operator adds each platform once. Then all users can create CI rules for their own projects there.',
    noIssuersCommand: 'On the host of the service:',
    forJobs: (platform: string, username: string): string =>
      `Jobs of ${platform} that match this CI rule get tokens of ${username}.`,
    another: 'Choose another platform',
    name: 'CI rule name',
    nameHint:
      'Lowercase letters, digits, dots and dashes, such as hello-release. The sessions of its jobs show this name.',
    match: 'Claims to match',
    matchWhat:
      'All of them must match exactly. Ids are required, because someone else can take a name once it is free.',
    oneOf: 'Enter at least one of these as well, so that not every branch can publish:',
    more: 'More claims',
    moreHint:
      'One per line: claim=text or claim:=JSON, such as ref_path:={"glob":"refs/tags/v*"} or ref:={"any_of":["refs/heads/main","refs/heads/stable"]}',
    project: 'Project address',
    projectHint: 'Such as https://github.com/OWNER/REPO. The service asks there for the ids, once.',
    lookUp: 'Look up ids',
    found: (project: string): string =>
      `These are the ids of ${project}. The rule matches them, not its name.`,
    packagesHint: 'Names or snap ids, separated by commas. A CI rule is never for all packages.',
    channelsHint: 'Such as latest/edge, separated by commas. Leave it empty for all channels.',
    storesHint: 'Store ids, separated by commas. Leave it empty for all stores.',
    lifetimeHint: (most: number): string => `1 to ${most}. A job logs in once, right before it publishes.`,
    does: 'Create CI rule',
  },
  problems: {
    issuer: 'Choose a platform.',
    name: 'Enter a name for the CI rule.',
    permissions: 'Choose at least one permission.',
    packages: 'Name at least one package.',
    lifetime: 'Enter a number of minutes, such as 15.',
    project: 'Enter the project address first.',
    line: (line: string): string => `The line ${line} is neither claim=text nor claim:=JSON.`,
    twice: (claim: string): string =>
      `The claim ${claim} appears twice. To accept either of two strings, write :={"any_of":["one","two"]}.`,
    json: (claim: string): string => `The text after := of the claim ${claim} is not JSON.`,
  },
  test: {
    open: 'Test CI rule…',
    title: (name: string): string => `Would a job get a token through ${name}?`,
    claims: 'ID token of a job, or its claims as JSON',
    claimsHint:
      'Nothing is stored, logged or used. The signature is not checked, and the token is judged as of the time when it was issued.',
    does: 'Compare claims',
    nothing: 'Paste an ID token, or its claims as JSON.',
    noJson: 'This begins like JSON, but is not valid JSON.',
    holds: 'A job with these claims gets a token, if its ID token is signed and new.',
    holdsNot: 'A job with these claims would not get a token.',
    asOf: 'As of',
    lines: 'Claims',
    columns: { holds: 'Match', claim: 'Claim', expected: 'Expected', found: 'Found' },
    yes: 'yes',
    no: 'no',
  },
  remove: {
    open: 'Remove CI rule…',
    title: (name: string): string => `Remove the CI rule ${name}?`,
    what: (sessions: number): string =>
      `Jobs get no more tokens through it${
        sessions === 0
          ? ''
          : `, and ${counted(sessions, 'session that it opened is', 'sessions that it opened are')} revoked within a second`
      }. This cannot be undone.`,
    does: 'Remove CI rule',
    done: (name: string, sessions: number): string =>
      `CI rule ${name} removed${sessions === 0 ? '' : `, and ${counted(sessions, 'session', 'sessions')} revoked`}.`,
  },
} as const
