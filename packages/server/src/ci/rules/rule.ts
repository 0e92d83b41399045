/** A rule: which jobs of an issuer get which token ("trusted publisher"; contract/oidc.md, A6). */
import type { AccountId } from '@ratafia/api'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import type { Match } from './matcher.ts'

/** A rule is never changed. Removing it, or disabling it, revokes the sessions it opened. */
export interface Rule {
  /** A UUID. */
  readonly id: string
  /** Unique. */
  readonly name: string
  readonly issuerId: string
  readonly accountId: AccountId
  /** A hash of what the rule says: two rules of one name, made one after the other, have different ones. */
  readonly version: string
  readonly match: Match
  readonly grants: Grants
  /** Milliseconds. */
  readonly lifetime: number
  readonly createdAt: Date
  readonly disabledAt: Date | undefined
  /** To the hour. */
  readonly lastUsedAt: Date | undefined
}

/** Permissions and packages (snap ids) are always named (A10). */
export interface Grants extends Attenuations {
  readonly permissions: readonly string[]
  readonly packages: readonly string[]
}

/** The names of rules: audit entries, descriptions of sessions and requests that choose a rule have them. */

const RULE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
export const isRuleName = (text: string): boolean => RULE_NAME.test(text)
