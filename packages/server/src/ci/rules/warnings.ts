/** Warns, in sentences, why an accepted rule is risky (contract/oidc.md, "Needed in a rule"). */
import type { Issuer } from '../issuers/issuer.ts'
import { type KindName, kindOf } from '../issuers/kinds.ts'
import type { Match, Matcher } from './matcher.ts'
import { beyondStandard } from './matchers/events.ts'
import { alternatives } from './matchers/holds.ts'

interface Warning {
  readonly when: (match: Match) => boolean
  readonly says: string
}

const names = (match: Match, ...claims: readonly string[]): boolean =>
  claims.some((claim) => Object.hasOwn(match, claim))

const WARNINGS: Readonly<Record<KindName, readonly Warning[]>> = {
  github: [
    {
      when: (match) =>
        names(match, 'environment') && !names(match, 'workflow_ref', 'job_workflow_ref', 'ref'),
      says: 'A rule that matches only environment lets in every branch and workflow that can use the environment. Unless its settings on GitHub limit it, anyone with write access can publish: limit it there to protected branches or reviewers, or match workflow_ref or ref as well.',
    },
    {
      when: (match) => isWorkflowElsewhere(match) && isRefOpen(match['job_workflow_ref']),
      says: 'job_workflow_ref leaves the ref open, possibly in another repository: anyone who can push a branch or tag there can change the workflow. Write the ref after the @ in full.',
    },
  ],
  gitlab: [
    {
      when: (match) => names(match, 'environment_protected'),
      says: 'environment_protected is always "false" in the free edition of GitLab, even for a protected environment.',
    },
    {
      when: (match) => names(match, 'ref') && !names(match, 'ref_path'),
      says: 'ref is the same for a branch and a tag with the same name. Match ref_path, which distinguishes them.',
    },
    {
      when: (match) => names(match, 'environment') && !names(match, 'ref_path', 'ref_protected'),
      says: 'A rule that matches only environment lets in every branch. Unless the environment is protected in GitLab, any developer of the project can publish: match ref_protected or ref_path as well.',
    },
  ],
  forgejo: [
    {
      when: (match) => !names(match, 'repository_id'),
      says: 'The rule matches names. If a name becomes free, anyone who registers it gets what the rule grants.',
    },
    {
      when: (match) => names(match, 'sub'),
      says: 'sub adds nothing to repository_id and ref, and is ambiguous: it joins names and ids with a dash, which names can contain. Match workflow_ref or ref instead.',
    },
  ],
  circleci: [
    {
      when: (match) => !names(match, 'oidc.circleci.com/vcs-origin'),
      says: 'Without oidc.circleci.com/vcs-origin, builds of forks also get the token if the project passes secrets to them.',
    },
  ],
  buildkite: [],
  bitbucket: [],
  google: [],
  'azure-devops': [],
  jenkins: [
    {
      when: () => true,
      says: "Jenkins has no permanent ids: an administrator of the job's folder can delete the job and create another with the same name.",
    },
  ],
  kubernetes: [
    {
      when: () => true,
      says: 'Only projected tokens are accepted. Tokens from secrets have no "exp" and are always refused.',
    },
  ],
  generic: [],
}

/** Returns the warnings about a match that has passed the checks. */
export function warningsOf({ kind }: Issuer, match: Match): readonly string[] {
  const { events } = kindOf(kind)
  const matcher = events && names(match, events.claim) ? match[events.claim] : undefined
  const beyond = events && matcher !== undefined ? beyondStandard(events, matcher) : []
  return [
    ...WARNINGS[kind].filter(({ when }) => when(match)).map(({ says }) => says),
    ...(beyond.length === 0
      ? []
      : [
          `${events?.claim} lets in ${beyond.join(', ')}, which is refused unless a rule names it: such a job can run code that no one with write access has reviewed.`,
        ]),
  ]
}

/** Returns false only if the rule requires both to be in the same repository. */
function isWorkflowElsewhere(match: Match): boolean {
  const { job_workflow_ref: workflow, repository, workflow_ref: caller } = match
  if (workflow === undefined) return false
  const known = new Set(
    [repository, caller].flatMap((matcher) => (matcher === undefined ? [] : repositoriesOf(matcher))),
  )
  return known.size !== 1 || repositoriesOf(workflow).some((one) => !known.has(one))
}

/** Returns the first two parts of the paths that the matcher accepts: in patterns, they are literal text. */
const repositoriesOf = (matcher: Matcher): readonly string[] =>
  textsOf(matcher).map((text) => text.split('/').slice(0, 2).join('/'))

const isRefOpen = (matcher: Matcher | undefined): boolean =>
  matcher !== undefined &&
  alternatives(matcher).some(
    (single) => typeof single === 'object' && 'glob' in single && !/@[^*?]+$/.test(single.glob),
  )

const textsOf = (matcher: Matcher): readonly string[] =>
  alternatives(matcher).flatMap((single) => {
    if (typeof single !== 'object') return typeof single === 'string' ? [single] : []
    return 'glob' in single ? [single.glob] : [single.fold]
  })
