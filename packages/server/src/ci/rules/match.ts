/** Which rule a job gets its token by (contract/oidc.md, A6, A9). */
import type { VerifiedIdToken } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Rule } from './rule.ts'

/** Generic over what a caller carries along. */
export interface Candidate {
  readonly rule: Rule
}

/**
 * The candidate whose rule holds for the token. Of several that grant the same it is the first by name, and a disabled one
 * only where no other holds. Throws {@link ExchangeRefusal} `no-rule`, `event` or `ambiguous-rule`.
 *
 * @param named the name of a rule, where the request chooses one
 */
export function matchRules<C extends Candidate>(
  _token: VerifiedIdToken,
  _issuer: Issuer,
  _candidates: readonly C[],
  _named?: string,
): C {
  throw new Error('not yet')
}
