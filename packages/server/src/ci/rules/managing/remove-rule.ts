/** Removes a rule, and revokes the sessions it opened at once (contract/oidc.md, A12). */
import { requireMayManage } from '../../../accounts/administration/may-manage.ts'
import { requireForAll } from '../../../authority.ts'
import type { Stores } from '../../../stores.ts'
import type { KnownRule } from '../rule-store.ts'
import type { EndedRule, RuleToEnd } from './disable-rule.ts'
import { findOwnRule, findRule, noOwnRule, noRule } from './find-rule.ts'

interface RuleToRemove extends RuleToEnd {
  /** Whether to remove only a rule of the caller's own account, which requires no permission. */
  readonly own?: boolean
  /** Throws `version-mismatch` if the rule differs from the one that the caller has seen. */
  readonly mustBeSeen?: ((now: KnownRule) => void) | undefined
}

/**
 * Throws the errors of `requireMayManage` for its account, and `no-such-record` if there is no such rule; with `own`,
 * the errors of `findOwnRule`. Also throws the errors of `mustBeSeen`.
 */
export async function removeRule(
  { name, authority, own = false, mustBeSeen }: RuleToRemove,
  { changeBy, clock }: Stores,
): Promise<EndedRule> {
  if (!own) requireForAll(authority, 'accounts:manage')
  const { author, by } = authority
  return changeBy(author)(async (on) => {
    const { rules, tokenSessions, record } = on
    const known = own ? await findOwnRule({ authority, name }, on) : await findRule(name, rules)
    const { id, version, accountId } = known.rule
    if (!own) await requireMayManage({ authority, account: { id: accountId } }, on, clock())
    mustBeSeen?.(known)
    // Removed first: this waits for a running exchange, which holds the row, and a later one does not find it.
    if (!(await rules.remove(id))) throw own ? noOwnRule(name) : noRule(name)
    const sessions = await tokenSessions.revokeOfRules([id], { at: clock(), by })
    await record({
      action: 'publisher.remove',
      subject: name,
      details: { version, sessions: sessions.length },
    })
    return { ...known, revoked: sessions.length }
  })
}
