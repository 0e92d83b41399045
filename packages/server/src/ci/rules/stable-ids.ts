/** The ids by which a job's rules are found (contract/oidc.md, A8). */
import type { Claims } from '../id-token/id-token.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Match } from './matcher.ts'

/** Claims that a rule of this issuer matches exactly. */
export function stableIdsOf(_issuer: Issuer): readonly string[] {
  throw new Error('not yet')
}

/** What `publisher_rule.ids` can say of a rule for this job: one text or two, or none where an id is missing. */
export function idsOfJob(_issuer: Issuer, _claims: Claims): readonly string[] {
  throw new Error('not yet')
}

/** What `publisher_rule.ids` says. The match has passed `checkRule`. */
export function idsOfRule(_issuer: Issuer, _match: Match): string {
  throw new Error('not yet')
}
