/** Whether a rule is safe enough to be made (contract/oidc.md, A7 to A9, "Needed in a rule"). */
import type { Issuer } from '../issuers/issuer.ts'
import type { Match } from './matcher.ts'

export interface CheckedRule {
  /** With what the kind adds (A9). */
  readonly match: Match
  /** Sentences for whoever makes the rule. */
  readonly warnings: readonly string[]
}

/** Throws {@link RequestError} `invalid-field` (field `match`), whose message lists everything that is wrong. */
export function checkRule(_issuer: Issuer, _match: Match): CheckedRule {
  throw new Error('not yet')
}

/** Throws {@link RequestError} `invalid-field` (field `match`): the JSON is no match. */
export function readMatch(_json: unknown): Match {
  throw new Error('not yet')
}
