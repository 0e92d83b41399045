/** Removes a rule, and ends at once the sessions it opened (contract/oidc.md, A12). */
import { requireMayManage } from '../../../accounts/administration/may-manage.ts'
import { requireForAll } from '../../../authority.ts'
import type { Stores } from '../../../stores.ts'
import type { KnownRule } from '../rule-store.ts'
import type { EndedRule, RuleToEnd } from './disable-rule.ts'
import { findRule, noRule } from './find-rule.ts'
import { findOwnRule, noOwnRule } from './own-rules.ts'

interface RuleToRemove extends RuleToEnd {
  /** Only if it is one's own, which takes no permission. */
  readonly own?: boolean
  /** Throws `version-mismatch` for a rule that is not what the caller has seen. */
  readonly mustBeSeen?: ((now: KnownRule) => void) | undefined
}

/**
 * Throws as `requireMayManage` for its account, and `invalid-field` when there is no such rule; for the own one as
 * `findOwnRule`. Throws what `mustBeSeen` throws.
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
    // First: an exchange under way holds the row, and a later one does not find it.
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
