/** The CI systems whose jobs can have tokens: a row for each (contract/oidc.md, A5, A8, A9). */

export interface Kind {
  /** As people know it. */
  readonly title: string
  /** Claims that a rule must match exactly: ids that are never given to anybody else. Empty: those of the issuer. */
  readonly stableIds: readonly string[]
}

export const KINDS = {
  github: { title: 'GitHub Actions', stableIds: ['repository_id', 'repository_owner_id'] },
  gitlab: { title: 'GitLab CI/CD', stableIds: ['project_id'] },
  forgejo: { title: 'Forgejo Actions', stableIds: ['repository_id'] },
  circleci: { title: 'CircleCI', stableIds: ['oidc.circleci.com/project-id'] },
  buildkite: { title: 'Buildkite', stableIds: ['pipeline_id'] },
  bitbucket: { title: 'Bitbucket Pipelines', stableIds: ['workspaceUuid', 'repositoryUuid'] },
  google: { title: 'Google Cloud', stableIds: ['sub'] },
  'azure-devops': { title: 'Azure DevOps', stableIds: ['prj_id', 'def_id'] },
  jenkins: { title: 'Jenkins', stableIds: ['sub'] },
  kubernetes: {
    title: 'Kubernetes',
    stableIds: ['/kubernetes.io/serviceaccount/uid', '/kubernetes.io/namespace'],
  },
  generic: { title: 'OpenID Connect', stableIds: ['sub'] },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]
