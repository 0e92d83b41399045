/** The CI systems whose jobs can get tokens (contract/oidc.md, A5, A8, A9, "Needed in a rule"). */
import type { Scalar } from '../id-token/id-token.ts'

export interface Kind {
  /** The name that people know. */
  readonly title: string
  /** The claims that a rule must match exactly: ids that are never reused. If empty, those of the issuer. */
  readonly stableIds: readonly string[]
  /** The form of the ids, so that a rule that can never match is refused. */
  readonly idForm: 'digits' | 'text' | 'text or number'
  /** The reason why other claims are not enough, as the end of a sentence. */
  readonly whyIds: string
  /** The names that a rule without ids must match exactly, if the operator accepted that names can be reused (A8). */
  readonly names: readonly string[]
  /** A rule must also match at least one of these claims, unless the list is empty. */
  readonly oneOf: readonly string[]
  /** Matchers that are added to a rule that matches none of {@link Kind.oneOf}, instead of refusing it. */
  readonly implied: Readonly<Record<string, string>> | undefined
  /** The reason why a rule cannot match `sub`, as the end of a sentence. */
  readonly subUnmatched: string | undefined
  readonly events: Events | undefined
  /** The claims that sessions and the audit log keep (A22). None of them is about a person. */
  readonly kept: readonly string[]
  /** The claim that identifies the job among those of its rule. */
  readonly run: string | undefined
}

/** The events that may start a job that gets a token. */
export interface Events {
  readonly claim: string
  /** Applies if a rule does not match the claim: only these values, or all strings but these. */
  readonly standard: { readonly only: readonly Scalar[] } | { readonly allBut: readonly string[] }
  /** Events that no rule can allow. */
  readonly never: readonly string[]
}

const NO_FORKS: Pick<Events, 'standard' | 'never'> = {
  standard: { only: ['push', 'release', 'workflow_dispatch', 'schedule'] },
  never: ['pull_request_target', 'workflow_run', 'issue_comment'],
}

/** The values of most kinds. */
const PLAIN = {
  idForm: 'text',
  names: [],
  oneOf: [],
  implied: undefined,
  subUnmatched: undefined,
  events: undefined,
} as const

const REUSED_NAMES = 'another owner can register a name once it is free'

export const KINDS = {
  github: {
    ...PLAIN,
    title: 'GitHub Actions',
    stableIds: ['repository_id', 'repository_owner_id'],
    idForm: 'digits',
    whyIds: REUSED_NAMES,
    oneOf: ['environment', 'workflow_ref', 'job_workflow_ref', 'ref'],
    subUnmatched: 'administrators of a repository choose the form of sub, and it can hide the event',
    events: { claim: 'event_name', ...NO_FORKS },
    kept: [
      ...['repository', 'repository_id', 'repository_owner_id', 'environment', 'workflow_ref'],
      ...['job_workflow_ref', 'ref', 'sha', 'event_name', 'run_id', 'run_attempt'],
    ],
    run: 'run_id',
  },
  gitlab: {
    ...PLAIN,
    title: 'GitLab CI/CD',
    stableIds: ['project_id'],
    idForm: 'digits',
    whyIds: REUSED_NAMES,
    oneOf: ['ref_path', 'ref_protected', 'environment'],
    implied: { ref_protected: 'true' },
    subUnmatched: 'a project chooses the form of sub',
    events: {
      claim: 'pipeline_source',
      standard: { allBut: ['merge_request_event', 'external_pull_request_event', 'external'] },
      never: [],
    },
    kept: [
      ...['project_path', 'project_id', 'environment', 'ref_path', 'ref_protected', 'sha'],
      ...['ci_config_ref_uri', 'pipeline_source', 'pipeline_id', 'job_id'],
    ],
    run: 'pipeline_id',
  },
  forgejo: {
    ...PLAIN,
    title: 'Forgejo Actions',
    stableIds: ['repository_id'],
    idForm: 'text or number',
    whyIds: `${REUSED_NAMES}; only an issuer added with --names-can-be-reused accepted does not need one`,
    names: ['repository'],
    // "sub" contains the ref. A rule that matches it gets a warning.
    oneOf: ['workflow_ref', 'ref', 'sub'],
    events: { claim: 'event_name', ...NO_FORKS },
    kept: [
      ...['repository', 'repository_id', 'workflow_ref', 'ref', 'sha', 'event_name'],
      ...['run_id', 'run_attempt'],
    ],
    run: 'run_id',
  },
  circleci: {
    ...PLAIN,
    title: 'CircleCI',
    stableIds: ['oidc.circleci.com/project-id'],
    whyIds: 'names of projects can change hands',
    oneOf: ['oidc.circleci.com/pipeline-definition-id', 'oidc.circleci.com/vcs-ref'],
    events: { claim: 'oidc.circleci.com/ssh-rerun', standard: { only: [false] }, never: [] },
    kept: [
      ...['oidc.circleci.com/project-id', 'oidc.circleci.com/pipeline-definition-id'],
      ...['oidc.circleci.com/vcs-origin', 'oidc.circleci.com/vcs-ref', 'oidc.circleci.com/ssh-rerun'],
      ...['oidc.circleci.com/pipeline-id', 'oidc.circleci.com/workflow-id', 'oidc.circleci.com/job-id'],
    ],
    run: 'oidc.circleci.com/pipeline-id',
  },
  buildkite: {
    ...PLAIN,
    title: 'Buildkite',
    stableIds: ['pipeline_id'],
    whyIds:
      'slugs can be reused for other pipelines; a job requests the ids with --claim organization_id,pipeline_id',
    oneOf: ['build_branch', 'build_tag', 'step_key'],
    kept: [
      ...[
        'organization_slug',
        'organization_id',
        'pipeline_slug',
        'pipeline_id',
        'build_branch',
        'build_tag',
      ],
      ...['build_commit', 'build_source', 'build_number', 'step_key', 'job_id'],
    ],
    run: 'build_number',
  },
  bitbucket: {
    ...PLAIN,
    title: 'Bitbucket Pipelines',
    stableIds: ['workspaceUuid', 'repositoryUuid'],
    whyIds: REUSED_NAMES,
    oneOf: ['branchName', 'deploymentEnvironmentUuid'],
    kept: [
      ...['workspaceUuid', 'repositoryUuid', 'branchName', 'deploymentEnvironmentUuid'],
      ...['pipelineUuid', 'pipelineRunUuid', 'stepUuid'],
    ],
    run: 'pipelineUuid',
  },
  google: {
    ...PLAIN,
    title: 'Google Cloud',
    stableIds: ['sub'],
    idForm: 'digits',
    whyIds: 'someone else can create an e-mail address again once it is deleted',
    kept: ['sub'],
    run: undefined,
  },
  'azure-devops': {
    ...PLAIN,
    title: 'Azure DevOps',
    stableIds: ['prj_id', 'def_id'],
    whyIds: 'names can be reused; tokens of service connections have only names',
    oneOf: ['rpo_ref'],
    kept: ['org_id', 'prj_id', 'def_id', 'rpo_id', 'rpo_uri', 'rpo_ref', 'rpo_ver', 'run_id'],
    run: 'run_id',
  },
  jenkins: {
    ...PLAIN,
    title: 'Jenkins',
    stableIds: ['sub'],
    whyIds: "it is the job's URL, and an administrator writes the other claims",
    kept: ['sub', 'build_number'],
    run: 'build_number',
  },
  kubernetes: {
    ...PLAIN,
    title: 'Kubernetes',
    stableIds: ['/kubernetes.io/serviceaccount/uid', '/kubernetes.io/namespace'],
    whyIds: 'a service account that is deleted and created again has the same name',
    kept: [
      ...['/kubernetes.io/namespace', '/kubernetes.io/serviceaccount/name'],
      ...['/kubernetes.io/serviceaccount/uid', '/kubernetes.io/pod/name', '/kubernetes.io/pod/uid'],
    ],
    run: '/kubernetes.io/pod/name',
  },
  generic: {
    ...PLAIN,
    title: 'OpenID Connect',
    stableIds: ['sub'],
    idForm: 'text or number',
    whyIds: 'a rule matches sub, or the claims that the issuer was added with as --stable-claims',
    kept: ['sub'],
    run: undefined,
  },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]

export const kindOf = (name: KindName): Kind => KINDS[name]
