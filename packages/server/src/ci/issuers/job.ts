/** What is known of a job: for its session's description, and for the audit log. */

import type { Scalar } from '../id-token/claims.ts'
import type { Claims, VerifiedIdToken } from '../id-token/id-token.ts'
import type { Issuer } from './issuer.ts'

/** `NAME: KIND run RUN`, or without the run where the token does not say it (A13). At most 200 characters behind the name. */
export function describeJob(_rule: string, _issuer: Issuer, _token: VerifiedIdToken): string {
  throw new Error('not yet')
}

/** Throws {@link ExchangeRefusal} `claim-invalid`: a text that is too long, or that no database stores. */
export function keptClaims(_issuer: Issuer, _claims: Claims): Readonly<Record<string, Scalar>> {
  throw new Error('not yet')
}
