/** An issuer as whoever wants to write a rule for it sees it. */
import { audienceFor } from '../id-token/check-claims.ts'
import { stableIdsOf } from '../rules/stable-ids.ts'
import type { Issuer } from './issuer.ts'
import { kindOf } from './kinds.ts'

/** `baseUrl`: without a trailing slash. */
export const issuerRecord = (issuer: Issuer, baseUrl: string) => ({
  url: issuer.url,
  kind: issuer.kind,
  audience: audienceFor(issuer, baseUrl),
  ids: stableIdsOf(issuer),
  one_of: kindOf(issuer.kind).oneOf,
})
