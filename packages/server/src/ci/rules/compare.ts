/** Compares a rule with claims, one by one, for explanations and for the audit log. */
import { claimOf, isScalar } from '../id-token/claims.ts'
import type { Claims } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { kindOf } from '../issuers/kinds.ts'
import type { Match } from './matcher.ts'
import { isEventAllowed, standardInWords } from './matchers/events.ts'
import { holds } from './matchers/holds.ts'

export interface ComparedClaim {
  /** The claim, spelled as in the rule. */
  readonly claim: string
  /** JSON, or words for the events that the kind accepts. */
  readonly expected: string
  /** JSON, or `absent`. */
  readonly found: string
  readonly holds: boolean
  /** `match` for a claim that the rule matches, or `event` for the kind's own check of the event. */
  readonly of: 'match' | 'event'
}

/** Compares the claims of the rule, in its order, then the event. */
export function compareClaims(match: Match, issuer: Issuer, claims: Claims): readonly ComparedClaim[] {
  const { events } = kindOf(issuer.kind)
  const compared = Object.entries(match).map(([claim, matcher]): ComparedClaim => {
    const value = claimOf(claims, claim)
    return {
      claim,
      expected: JSON.stringify(matcher),
      found: foundText(value),
      holds: holds(matcher, value),
      of: 'match',
    }
  })
  if (events === undefined) return compared
  const { claim, never } = events
  const value = claimOf(claims, claim)
  const isMatched = Object.hasOwn(match, claim)
  if (isMatched && !never.some((one) => one === value)) return compared
  return [
    ...compared,
    {
      claim,
      expected: isMatched
        ? `none of ${never.map((one) => JSON.stringify(one)).join(', ')}`
        : standardInWords(events),
      found: foundText(value),
      holds: isEventAllowed(events, match, claims),
      of: 'event',
    },
  ]
}

/** Does not write out lists and objects, because nothing matches them. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'absent'
  if (isScalar(value) || value === null) return JSON.stringify(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
