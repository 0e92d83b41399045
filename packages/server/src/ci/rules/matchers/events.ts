/** Decides which events may start a job that gets a token (contract/oidc.md, A9). */
import { claimOf } from '../../id-token/claims.ts'
import type { Claims } from '../../id-token/id-token.ts'
import type { Events } from '../../issuers/kinds.ts'
import type { Match, Matcher } from '../matcher.ts'
import { alternatives, holds } from './holds.ts'

/** Checks the event of a matching token. A kind without events allows all; an absent claim never passes. */
export function isEventAllowed(events: Events | undefined, match: Match, claims: Claims): boolean {
  if (events === undefined) return true
  const value = claimOf(claims, events.claim)
  if (events.never.some((never) => never === value)) return false
  // If the rule matches the claim, the match has already been checked.
  return Object.hasOwn(match, events.claim) ? value !== undefined : isStandard(events, value)
}

function isStandard({ standard }: Events, value: unknown): boolean {
  if ('only' in standard) return standard.only.some((one) => one === value)
  return typeof value === 'string' && !standard.allBut.includes(value)
}

/** Returns the events that the matcher accepts although no rule may. */
export const neverAllowed = (events: Events, matcher: Matcher): readonly string[] =>
  events.never.filter((never) => holds(matcher, never))

/** Returns the alternatives of the matcher that go beyond the standard events, as JSON. */
export const beyondStandard = (events: Events, matcher: Matcher): readonly string[] =>
  alternatives(matcher)
    .filter((single) => typeof single === 'object' || !isStandard(events, single))
    .map((single) => JSON.stringify(single))

/** Describes the standard events in words. */
export function standardInWords({ standard }: Events): string {
  const listed = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(', ')
  return 'only' in standard
    ? `one of ${listed(standard.only)}`
    : `a string other than ${listed(standard.allBut)}`
}
