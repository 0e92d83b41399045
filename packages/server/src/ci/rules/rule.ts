/** A rule decides which jobs of an issuer get which token ("trusted publisher"; contract/oidc.md, A6). */
import { createHash } from 'node:crypto'
import type { AccountId } from '@ratafia/api'
import type { Attenuations } from '@ratafia/macaroon/conditions'
import type { Match } from './matcher.ts'

/** A rule never changes. Removing or disabling it revokes the sessions it opened. */
export interface Rule {
  /** A UUID. */
  readonly id: string
  /** Unique. */
  readonly name: string
  readonly issuerId: string
  readonly accountId: AccountId
  /** A hash of the rule's content. A rule that is removed and created again with the same name has a different one. */
  readonly version: string
  readonly match: Match
  readonly grants: Grants
  /** The lifetime of tokens in milliseconds. */
  readonly lifetime: number
  readonly createdAt: Date
  readonly disabledAt: Date | undefined
  /** Accurate to the hour. */
  readonly lastUsedAt: Date | undefined
}

/** A rule always names permissions and packages (snap ids; A10). */
export interface Grants extends Attenuations {
  readonly permissions: readonly string[]
  readonly packages: readonly string[]
}

/** The form of rule names, which occur in audit entries, in sessions and in requests that choose a rule. */
const RULE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
export const isRuleName = (text: string): boolean => RULE_NAME.test(text)

/** The whole content of a rule. */
type Said = Pick<Rule, 'name' | 'issuerId' | 'accountId' | 'match' | 'grants' | 'lifetime' | 'createdAt'>

/**
 * Returns a rule's version, with which the audit log shows its content at the time of each token: the hexadecimal
 * SHA-256 of a list as `JSON.stringify` writes it. A rule created again has another one.
 */
export function versionOf({ name, issuerId, accountId, match, grants, lifetime, createdAt }: Said): string {
  const { permissions, packages, channels, storeIds } = grants
  const said = [
    ...[name, issuerId, accountId, match],
    ...[permissions, packages, channels, storeIds, lifetime, createdAt.getTime()],
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest('hex')
}
