/** `GET /api/v2/tokens`: lists the sessions of an account. */
import type { AccountId, TokenListResponse } from '@ratafia/api'
import type { TokenDependencies } from './dependencies.ts'
import { type ListedSession, tokenRecord } from './session.ts'

/** An answer has at most this many records, newest first, because the specification has no paging. */
const LIST_LIMIT = 10_000

interface Listing {
  /** The account; undefined for every account, which only the operator can list. */
  readonly accountId: AccountId | undefined
  /** Whether to also list revoked and expired sessions. */
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
