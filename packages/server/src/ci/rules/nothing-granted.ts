/** The answer to a job that gets nothing: the same whatever the reason, so that it tells nothing of rules (A21). */
import type { VerifiedIdToken } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { ExchangeRefusal } from '../refusal.ts'
import type { Candidate } from './match.ts'

export type NothingGranted = 'no-rule' | 'event' | 'rule-disabled' | 'account-disabled'

/**
 * Says what the token says, and where the operator finds more.
 *
 * @param auditEntry the id of the entry with the comparison, once it is known
 */
export function nothingGranted(
  reason: NothingGranted,
  _issuer: Issuer,
  _token: VerifiedIdToken,
  _auditEntry?: string,
): ExchangeRefusal {
  return new ExchangeRefusal(reason, 'not yet')
}

/** For the audit entry: what does not hold in a rule. Values are shortened, and e-mail addresses left out. */
export interface RuleComparison {
  readonly rule: string
  readonly differences: readonly {
    readonly claim: string
    readonly expected: string
    readonly found: string
  }[]
}

/** Of at most ten rules, by name. */
export function compareRules(
  _token: VerifiedIdToken,
  _issuer: Issuer,
  _candidates: readonly Candidate[],
): readonly RuleComparison[] {
  throw new Error('not yet')
}
