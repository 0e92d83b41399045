/** Removes a rule, and ends at once the sessions it opened (contract/oidc.md, A12). */
import type { EndedRule, EndRuleDeps } from './disable-rule.ts'
import { findRule, noRule } from './find-rule.ts'

/**
 * Throws `invalid-field` when there is no such rule.
 *
 * @param input.by a username, or `operator`
 */
export function removeRule(
  { name, by }: { readonly name: string; readonly by: string },
  { change, clock }: EndRuleDeps,
): Promise<EndedRule> {
  return change(async ({ rules, tokenSessions, record }) => {
    const known = await findRule(name, rules)
    const { id, version } = known.rule
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
