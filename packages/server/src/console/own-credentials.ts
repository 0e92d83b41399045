/**
 * Operations on the user's own account and rules that only the console has. The management API does not have them
 * (contract/administration.md, B11; contract/oidc.md, A12).
 */
import type { OwnProjectInput, OwnRule, OwnRuleInput } from '../ci/rules/making/add-own-rule.ts'
import type { ProjectIds } from '../ci/rules/making/project-ids.ts'
import type { OwnAgent, OwnAgentInput } from '../management/own/add-own-agent.ts'
import type { OwnToken, OwnTokenInput } from '../management/own/make-own-token.ts'
import type { ManagerAuthority } from '../management/tokens/manager.ts'

export type { ManagerAuthority }

export interface OwnCredentials {
  /** Throws the errors of `makeOwnToken`. */
  makeToken(input: OwnTokenInput): Promise<OwnToken>
  /** Throws the errors of `addOwnAgent`. */
  addAgent(input: OwnAgentInput): Promise<OwnAgent>
  readonly baseUrl: string
  /** The longest lifetime of a token in milliseconds; undefined for no limit. */
  readonly mostLifetime: number | undefined
  /** The URL where users change their password and second factor; undefined with an external identity service. */
  readonly account: string | undefined
  readonly identity: string
}

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
