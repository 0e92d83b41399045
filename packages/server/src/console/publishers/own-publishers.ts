/** What only the console does about rules of the own account: the management API makes none (contract/oidc.md, A12). */
import type { OwnProjectInput, OwnRule, OwnRuleInput } from '../../ci/rules/making/add-own-rule.ts'
import type { ProjectIds } from '../../ci/rules/making/project-ids.ts'
import type { ManagerAuthority } from '../../management/tokens/manager.ts'

export type { ManagerAuthority }

export interface OwnPublishers {
  /** Throws `recent-sign-in-required` where {@link OwnPublishers.add} would: before a form is filled in. */
  requireJustSignedIn(authority: ManagerAuthority, now: Date): void
  /** Throws as `addOwnRule` does. */
  add(input: OwnRuleInput): Promise<OwnRule>
  /** Throws as `lookUpOwnIds` does. */
  lookUp(input: OwnProjectInput): Promise<ProjectIds>
  readonly baseUrl: string
  /** Seconds. */
  readonly mostLifetime: number
}
