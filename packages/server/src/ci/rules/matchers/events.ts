/** Which events let a job have its token (contract/oidc.md, A9). */
import { claimOf } from '../../id-token/claims.ts'
import type { Claims } from '../../id-token/id-token.ts'
import type { Events } from '../../issuers/kinds.ts'
import type { Match, Matcher } from '../matcher.ts'
import { alternatives, holds } from './holds.ts'

/** For a token whose other claims match. A kind without events lets all through; an absent claim never passes. */
export function isEventAllowed(events: Events | undefined, match: Match, claims: Claims): boolean {
  if (events === undefined) return true
  const value = claimOf(claims, events.claim)
  if (events.never.some((never) => never === value)) return false
  // A rule that matches the claim has already been asked.
  return Object.hasOwn(match, events.claim) ? value !== undefined : isStandard(events, value)
}

function isStandard({ standard }: Events, value: unknown): boolean {
  if ('only' in standard) return standard.only.some((one) => one === value)
  return typeof value === 'string' && !standard.allBut.includes(value)
}

/** The events that no rule may let in and this one would. */
export const neverAllowed = (events: Events, matcher: Matcher): readonly string[] =>
  events.never.filter((never) => holds(matcher, never))

/** What the rule lets in beyond the standard, as the rule writes it. */
export const beyondStandard = (events: Events, matcher: Matcher): readonly string[] =>
  alternatives(matcher)
    .filter((single) => typeof single === 'object' || !isStandard(events, single))
    .map((single) => JSON.stringify(single))

/** In words. */
export function standardInWords({ standard }: Events): string {
  const listed = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(', ')
  return 'only' in standard
    ? `one of ${listed(standard.only)}`
    : `a text, but none of ${listed(standard.allBut)}`
}
