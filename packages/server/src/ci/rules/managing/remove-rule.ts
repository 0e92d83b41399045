/** Removes a rule, and ends at once the sessions it opened (contract/oidc.md, A12). */
import { requireMayManage } from '../../../accounts/administration/may-manage.ts'
import { requireForAll } from '../../../authority.ts'
import type { EndedRule, EndRuleDeps, RuleToEnd } from './disable-rule.ts'
import { findRule, noRule } from './find-rule.ts'

/** Throws as `requireMayManage` for its account, and `invalid-field` when there is no such rule. */
export async function removeRule(
  { name, authority }: RuleToEnd,
  { changeBy, clock }: EndRuleDeps,
): Promise<EndedRule> {
  requireForAll(authority, 'accounts:manage')
  const { author, by } = authority
  return changeBy(author)(async ({ rules, tokenSessions, grants, record }) => {
    const known = await findRule(name, rules)
    const { id, version, accountId } = known.rule
    await requireMayManage({ authority, account: { id: accountId } }, { grants }, clock())
    // First: an exchange under way holds the row, and a later one does not find it.
    if (!(await rules.remove(id))) throw noRule(name)
    const sessions = await tokenSessions.revokeOfRules([id], { at: clock(), by })
    await record({
      action: 'publisher.remove',
      subject: name,
      details: { version, sessions: sessions.length },
    })
    return { ...known, revoked: sessions.length }
  })
}
