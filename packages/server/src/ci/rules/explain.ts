/** A rule against a file of claims, claim by claim: for `publishers test`. */
import type { Claims } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Rule } from './rule.ts'

export interface Explanation {
  /** A token with these claims would get what the rule grants, if it is signed and not used before. */
  readonly holds: boolean
  readonly lines: readonly ExplainedLine[]
}

export interface ExplainedLine {
  /** What the line is about: `issuer`, `audience`, `time`, `event`, or `match` for a claim of the rule. */
  readonly of: 'issuer' | 'audience' | 'time' | 'match' | 'event'
  /** The claim, as the rule writes it. */
  readonly claim: string
  /** In words or as JSON: what the rule, or the service, expects. */
  readonly expected: string
  /** What the claims say, as JSON, or `absent`. */
  readonly found: string
  readonly holds: boolean
}

export function explainRule(
  _rule: Rule,
  _issuer: Issuer,
  _claims: Claims,
  _at: { readonly audience: string; readonly now: Date },
): Explanation {
  throw new Error('not yet')
}
