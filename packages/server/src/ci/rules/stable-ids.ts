/** Builds the ids that a job's rules are looked up by (contract/oidc.md, A8). */
import { claimOf, isScalar } from '../id-token/claims.ts'
import type { Claims } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { kindOf } from '../issuers/kinds.ts'
import type { Match } from './matcher.ts'

/** The maximum length of {@link idsOfRule}. At three bytes a character, it fits into an index row of PostgreSQL. */
export const MOST_IDS = 800

/** Returns the claims that a rule of this issuer must match exactly. */
export const stableIdsOf = ({ kind, settings }: Issuer): readonly string[] =>
  (kind === 'generic' ? settings.stableClaims : null) ?? kindOf(kind).stableIds

/** Returns the names that a rule may match instead of the ids; none unless the operator allowed it. */
export const namesOf = ({ kind, settings }: Issuer): readonly string[] =>
  settings.namesCanBeReused ? kindOf(kind).names : []

/** Returns the values of `publisher_rule.ids` that fit this job: one or two, or none if an id is missing. */
export function idsOfJob(issuer: Issuer, claims: Claims): readonly string[] {
  const valueAt = (name: string) => claimOf(claims, name)
  return [idsKey(stableIdsOf(issuer), valueAt), namesKey(namesOf(issuer), valueAt)].filter(
    (key) => key !== undefined,
  )
}

/** Returns the value of `publisher_rule.ids`. Throws `TypeError` for a match that has not passed `checkRule`. */
export function idsOfRule(issuer: Issuer, match: Match): string {
  const valueAt = (name: string) => (Object.hasOwn(match, name) ? match[name] : undefined)
  const key = idsKey(stableIdsOf(issuer), valueAt) ?? namesKey(namesOf(issuer), valueAt)
  if (key === undefined) throw new TypeError('The match has no ids: checkRule refuses it.')
  return key
}

type ValueAt = (name: string) => unknown

/** A JSON list. The key of names is a JSON object, so that the two are never confused. */
const idsKey = (names: readonly string[], valueAt: ValueAt): string | undefined =>
  keyOf(names, valueAt, (values) => values)

const namesKey = (names: readonly string[], valueAt: ValueAt): string | undefined =>
  keyOf(names, valueAt, (values) => ({ names: values }))

function keyOf(names: readonly string[], valueAt: ValueAt, wrapped: (values: readonly unknown[]) => unknown) {
  const values = names.map(valueAt)
  if (values.length === 0 || !values.every(isScalar)) return undefined
  const key = JSON.stringify(wrapped(values))
  return key.length > MOST_IDS ? undefined : key
}
