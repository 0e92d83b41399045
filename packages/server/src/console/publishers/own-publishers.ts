/**
 * Operations on the user's own rules that only the console has: the management API does not create rules
 * (contract/oidc.md, A12).
 */
import type { OwnProjectInput, OwnRule, OwnRuleInput } from '../../ci/rules/making/add-own-rule.ts'
import type { ProjectIds } from '../../ci/rules/making/project-ids.ts'
import type { ManagerAuthority } from '../../management/tokens/manager.ts'

export type { ManagerAuthority }

export interface OwnPublishers {
  /**
   * Throws `recent-sign-in-required` in the same cases as {@link OwnPublishers.add}, before the user fills in a form.
   */
  requireJustSignedIn(authority: ManagerAuthority, now: Date): void
  /** Throws the errors of `addOwnRule`. */
  add(input: OwnRuleInput): Promise<OwnRule>
  /** Throws the errors of `lookUpOwnIds`. */
  lookUp(input: OwnProjectInput): Promise<ProjectIds>
  readonly baseUrl: string
  /** The maximum lifetime in seconds. */
  readonly mostLifetime: number
}
