/** Finds the rule that grants a job its token (contract/oidc.md, A6, A9). */
import { claimOf } from '../id-token/claims.ts'
import type { Claims, VerifiedIdToken } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { kindOf } from '../issuers/kinds.ts'
import { ExchangeRefusal } from '../refusal.ts'
import type { Match } from './matcher.ts'
import { isEventAllowed } from './matchers/events.ts'
import { holds } from './matchers/holds.ts'
import { nothingGranted } from './nothing-granted.ts'
import type { Grants, Rule } from './rule.ts'

/** A rule, with other fields that the caller can add. */
export interface Candidate {
  readonly rule: Rule
}

/**
 * Returns the candidate whose rule matches the token: the first by name if several grant the same, and a disabled one
 * only if no other matches. Throws {@link ExchangeRefusal} `no-rule`, `event` or `ambiguous-rule`.
 *
 * @param named the name of a rule, if the request chooses one
 */
export function matchRules<C extends Candidate>(
  token: VerifiedIdToken,
  issuer: Issuer,
  candidates: readonly C[],
  named?: string,
): C {
  if (token.issuerId !== issuer.id) throw new TypeError('The token is from a different issuer.')
  const matching = candidates.filter(
    ({ rule }) =>
      rule.issuerId === token.issuerId &&
      (named === undefined || rule.name === named) &&
      isMatched(rule.match, token.claims),
  )
  const { events } = kindOf(issuer.kind)
  const allowed = matching.filter(({ rule }) => isEventAllowed(events, rule.match, token.claims))
  const enabled = allowed.filter(({ rule }) => rule.disabledAt === undefined)
  const [first, ...others] = (enabled.length > 0 ? enabled : allowed).toSorted(byName)
  if (first === undefined) throw nothingGranted(matching.length > 0 ? 'event' : 'no-rule', issuer, token)
  if (enabled.length > 0 && others.some(({ rule }) => !grantsSame(rule, first.rule))) throw ambiguous()
  return first
}

/** Checks that all matchers match. */
const isMatched = (match: Match, claims: Claims): boolean =>
  Object.entries(match).every(([claim, matcher]) => holds(matcher, claimOf(claims, claim)))

const byName = (a: Candidate, b: Candidate): number => (a.rule.name < b.rule.name ? -1 : 1)

const grantsSame = (a: Rule, b: Rule): boolean =>
  a.accountId === b.accountId && a.lifetime === b.lifetime && grantsText(a.grants) === grantsText(b.grants)

/** Ignores the order in which the lists were written. */
const grantsText = ({ permissions, packages, channels, storeIds }: Grants): string =>
  JSON.stringify([permissions, packages, channels, storeIds].map((list) => list && [...new Set(list)].sort()))

const ambiguous = () =>
  new ExchangeRefusal(
    'ambiguous-rule',
    'Several rules match this job, and they grant different things. Name one of them in "rule".',
  )
