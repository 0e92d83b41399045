/** Compares a rule with a file of claims, line by line, for `publishers test`. */
import { audienceFor, audienceProblem, LEEWAY_SECONDS, timeProblem } from '../id-token/check-claims.ts'
import type { Claims } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { type ComparedClaim, compareClaims, foundText } from './compare.ts'
import type { Rule } from './rule.ts'

export interface Explanation {
  /** Whether a signed ID token with these claims, not used before, gets what the rule grants. */
  readonly holds: boolean
  readonly lines: readonly ExplainedLine[]
}

export interface ExplainedLine extends Omit<ComparedClaim, 'of'> {
  /** `match` is a claim of the rule, and `event` the kind's own list. */
  readonly of: 'issuer' | 'audience' | 'time' | ComparedClaim['of']
}

/** Works offline and without a signature. `audience` is the base URL. */
export function explainRule(
  rule: Rule,
  issuer: Issuer,
  claims: Claims,
  { audience, now }: { readonly audience: string; readonly now: Date },
): Explanation {
  const lines = [
    issuerLine(issuer, claims),
    ...compareClaims(rule.match, issuer, claims),
    audienceLine(issuer, claims, audience),
    timeLine(issuer, claims, now),
  ]
  return { holds: lines.every((line) => line.holds), lines }
}

const issuerLine = ({ url }: Issuer, { iss }: Claims): ExplainedLine => ({
  of: 'issuer',
  claim: 'iss',
  expected: JSON.stringify(url),
  found: foundText(iss),
  holds: iss === url,
})

function audienceLine(issuer: Issuer, { aud }: Claims, baseUrl: string): ExplainedLine {
  const { otherAudiences } = issuer.settings
  const ours = JSON.stringify(audienceFor(issuer, baseUrl))
  const beside = otherAudiences.length === 0 ? '' : `, alone or with ${JSON.stringify(otherAudiences)}`
  return {
    of: 'audience',
    claim: 'aud',
    expected: `${ours}${beside}`,
    found: Array.isArray(aud) ? JSON.stringify(aud.map(foundText)) : foundText(aud),
    holds: audienceProblem(aud, issuer, baseUrl) === undefined,
  }
}

function timeLine(issuer: Issuer, claims: Claims, now: Date): ExplainedLine {
  const problem = timeProblem(claims, issuer, now)
  const longest = issuer.settings.longestLife / 1000
  return {
    of: 'time',
    claim: 'exp',
    expected: `valid at ${now.toISOString()}, within ${LEEWAY_SECONDS} s, and for at most ${longest} s`,
    found: problem?.message ?? 'valid',
    holds: problem === undefined,
  }
}
