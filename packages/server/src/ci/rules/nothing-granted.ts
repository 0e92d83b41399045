/** The answer to a job that gets nothing: the same whatever the reason, so that it tells nothing of rules (A21). */
import { quote } from '../../errors.ts'
import type { VerifiedIdToken } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { kindOf } from '../issuers/kinds.ts'
import { ExchangeRefusal } from '../refusal.ts'

export type NothingGranted = 'no-rule' | 'event' | 'rule-disabled' | 'account-disabled'

/**
 * Says what the token says, and where the operator finds more.
 *
 * @param auditEntry the id of the entry with the comparison, once it is known
 */
export function nothingGranted(
  reason: NothingGranted,
  issuer: Issuer,
  token: VerifiedIdToken,
  auditEntry?: string,
): ExchangeRefusal {
  const says = Object.entries(token.kept).map(([claim, value]) => `${claim} ${valueText(value)}`)
  const more =
    auditEntry === undefined ? '' : ` The operator finds the comparison in audit entry ${auditEntry}.`
  return new ExchangeRefusal(
    reason,
    `Nothing is granted to this job. Its ID token is of ${kindOf(issuer.kind).title} and says: ${says.join(', ') || 'nothing of use'}.${more}`,
  )
}

const valueText = (value: unknown): string => (typeof value === 'string' ? quote(value) : String(value))
