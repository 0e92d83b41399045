/** Disables a rule: it gives no more tokens, and the sessions it opened end at once (contract/oidc.md, A12). */
import type { Changing } from '../../../change.ts'
import type { Clock } from '../../../clock.ts'
import type { SessionStore } from '../../../tokens/session-store.ts'
import type { KnownRule, RuleStore } from '../rule-store.ts'
import { findRule } from './find-rule.ts'

export interface EndRuleDeps {
  readonly change: Changing<{ readonly rules: RuleStore; readonly tokenSessions: SessionStore }>
  readonly clock: Clock
}

export interface EndedRule extends KnownRule {
  /** How many of its sessions were revoked. */
  readonly revoked: number
}

/**
 * A rule that is disabled already keeps its time. Throws `invalid-field` when there is no such rule.
 *
 * @param input.by a username, or `operator`
 */
export function disableRule(
  { name, by }: { readonly name: string; readonly by: string },
  { change, clock }: EndRuleDeps,
): Promise<EndedRule> {
  return change(async ({ rules, tokenSessions, record }) => {
    const { rule } = await findRule(name, rules)
    const at = clock()
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
