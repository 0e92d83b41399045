/** Disables a rule: it grants no more tokens, and its sessions are revoked at once (contract/oidc.md, A12). */
import { requireMayManage } from '../../../accounts/administration/may-manage.ts'
import { type Authority, requireForAll } from '../../../authority.ts'
import type { Stores } from '../../../stores.ts'
import type { KnownRule } from '../rule-store.ts'
import { findRule } from './find-rule.ts'

export interface RuleToEnd {
  readonly name: string
  readonly authority: Authority
}

export interface EndedRule extends KnownRule {
  /** How many of its sessions were revoked. */
  readonly revoked: number
}

/**
 * The time of a rule that is already disabled does not change. Throws the errors of `requireMayManage` for its account,
 * and `invalid-field` if there is no such rule.
 */
export async function disableRule(
  { name, authority }: RuleToEnd,
  { changeBy, clock }: Stores,
): Promise<EndedRule> {
  requireForAll(authority, 'accounts:manage')
  const { author, by } = authority
  return changeBy(author)(async (on) => {
    const { rules, tokenSessions, record } = on
    const { rule } = await findRule(name, rules)
    const at = clock()
    await requireMayManage({ authority, account: { id: rule.accountId } }, on, at)
    const first = await rules.disable(rule.id, at)
    const sessions = await tokenSessions.revokeOfRules([rule.id], { at, by })
    if (first || sessions.length > 0) {
      await record({
        action: 'publisher.disable',
        subject: name,
        details: { version: rule.version, sessions: sessions.length },
      })
    }
    return { ...(await findRule(name, rules)), revoked: sessions.length }
  })
}
