/** What makes a rule risky although it is accepted, in sentences (contract/oidc.md, "Needed in a rule"). */
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
      says: 'environment alone lets in every branch and workflow that can use the environment. Unless its settings on GitHub limit it, anyone with write access can publish: limit it there to protected branches or reviewers, or match workflow_ref or ref as well.',
    },
    {
      when: (match) => isWorkflowElsewhere(match) && isRefOpen(match['job_workflow_ref']),
      says: 'job_workflow_ref leaves the ref open in a repository that may be another: whoever can push a branch or tag there can change the workflow. Write the ref behind the @ in full.',
    },
  ],
  gitlab: [
    {
      when: (match) => names(match, 'environment_protected'),
      says: 'environment_protected is always "false" in the free edition of GitLab, also for an environment that is protected.',
    },
    {
      when: (match) => names(match, 'ref') && !names(match, 'ref_path'),
      says: 'ref is the same for a branch and a tag of one name. Match ref_path, which tells them apart.',
    },
    {
      when: (match) => names(match, 'environment') && !names(match, 'ref_path', 'ref_protected'),
      says: 'environment alone lets in every branch. Unless the environment is protected in GitLab, any developer of the project can publish: match ref_protected or ref_path as well.',
    },
  ],
  forgejo: [
    {
      when: (match) => !names(match, 'repository_id'),
      says: 'The rule matches names. Whoever registers them once they are free gets what it grants.',
    },
    {
      when: (match) => names(match, 'sub'),
      says: 'sub adds nothing to repository_id and ref, and can be read in two ways: it joins names and ids with a dash, which names contain. Match workflow_ref or ref instead.',
    },
  ],
  circleci: [
    {
      when: (match) => !names(match, 'oidc.circleci.com/vcs-origin'),
      says: 'Without oidc.circleci.com/vcs-origin the builds of forks get the token too, where the project passes secrets to them.',
    },
  ],
  buildkite: [],
  bitbucket: [],
  google: [],
  'azure-devops': [],
  jenkins: [
    {
      when: () => true,
      says: "Jenkins has no ids that last: an administrator of the job's folder can delete the job and make another of that name.",
    },
  ],
  kubernetes: [
    {
      when: () => true,
      says: 'Only projected tokens are taken. Those of secrets have no "exp" and never pass.',
    },
  ],
  generic: [],
}

/** For a match that has passed the checks. */
export function warningsOf({ kind }: Issuer, match: Match): readonly string[] {
  const { events } = kindOf(kind)
  const matcher = events && names(match, events.claim) ? match[events.claim] : undefined
  const beyond = events && matcher !== undefined ? beyondStandard(events, matcher) : []
  return [
    ...WARNINGS[kind].filter(({ when }) => when(match)).map(({ says }) => says),
    ...(beyond.length === 0
      ? []
      : [
          `${events?.claim} lets in ${beyond.join(', ')}, which is refused where a rule does not name it: such a job can run what nobody with write access has looked at.`,
        ]),
  ]
}

/** Unless the rule says that both are in one repository. */
function isWorkflowElsewhere(match: Match): boolean {
  const { job_workflow_ref: workflow, repository, workflow_ref: caller } = match
  if (workflow === undefined) return false
  const known = new Set(
    [repository, caller].flatMap((matcher) => (matcher === undefined ? [] : repositoriesOf(matcher))),
  )
  return known.size !== 1 || repositoriesOf(workflow).some((one) => !known.has(one))
}

/** The first two parts of what the matcher takes: patterns have those as literal text. */
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
