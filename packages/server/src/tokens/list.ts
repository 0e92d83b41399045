/** `GET /api/v2/tokens`: the sessions of an account. */
import type { AccountId, TokenListResponse } from '@ratafia/api'
import type { TokenDependencies } from './dependencies.ts'
import { type ListedSession, tokenRecord } from './session.ts'

/** One answer has at most this many records, newest first: the specification has no paging. */
const LIST_LIMIT = 10_000

interface Listing {
  /** Undefined: every account, for the operator. */
  readonly accountId: AccountId | undefined
  /** List revoked and expired sessions too. */
  readonly includeInactive: boolean
}

export async function listTokens(
  listing: Listing & { readonly accountId: AccountId },
  deps: Pick<TokenDependencies, 'tokenSessions' | 'clock'>,
): Promise<TokenListResponse> {
  return { macaroons: (await listSessions(listing, deps)).map(tokenRecord) }
}

function listSessions(
  { accountId, includeInactive }: Listing,
  { tokenSessions, clock }: Pick<TokenDependencies, 'tokenSessions' | 'clock'>,
): Promise<readonly ListedSession[]> {
  return tokenSessions.list({ accountId, activeAt: includeInactive ? undefined : clock(), limit: LIST_LIMIT })
}
