/** The answer to a job that gets nothing: the same for every reason, so that it reveals nothing about rules (A21). */
import { quote } from '../../errors.ts'
import { mayHaveEmail } from '../id-token/claims.ts'
import type { VerifiedIdToken } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { kindOf } from '../issuers/kinds.ts'
import { ExchangeRefusal } from '../refusal.ts'
import { compareClaims } from './compare.ts'
import type { Rule } from './rule.ts'

export type NothingGranted = 'no-rule' | 'event' | 'rule-disabled' | 'account-disabled'

/**
 * Returns a refusal that shows the content of the token, and where the operator can find more.
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
    auditEntry === undefined ? '' : ` The operator can find the comparison in audit entry ${auditEntry}.`
  return new ExchangeRefusal(
    reason,
    `Nothing is granted to this job. Its ID token comes from ${kindOf(issuer.kind).title} and contains: ${says.join(', ') || 'no known claims'}.${more}`,
  )
}

const valueText = (value: unknown): string => (typeof value === 'string' ? quote(value) : String(value))

/** The claims that do not match, for the audit entry. */
export interface RuleComparison {
  readonly rule: string
  readonly differences: readonly {
    readonly claim: string
    readonly expected: string
    readonly found: string
  }[]
}

const MOST_RULES = 10
const MOST_CHARACTERS = 200

/** Compares at most ten rules, in the given order. Shortens values, and leaves out e-mail addresses (A22). */
export function compareRules(
  { claims }: VerifiedIdToken,
  issuer: Issuer,
  candidates: readonly { readonly rule: Rule }[],
): readonly RuleComparison[] {
  return candidates.slice(0, MOST_RULES).map(({ rule }) => ({
    rule: rule.name,
    differences: compareClaims(rule.match, issuer, claims)
      .filter((compared) => !compared.holds)
      .map(({ claim, expected, found }) => ({ claim, expected: logged(expected), found: logged(found) })),
  }))
}

/** A whole string within JSON that may be an e-mail address. */
const EMAIL = /"[^"\s/:@]*@[^"\s/:]*"/

function logged(text: string): string {
  if (EMAIL.test(text) || mayHaveEmail(text)) return '(an e-mail address)'
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text
}
