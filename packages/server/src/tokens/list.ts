/** `GET /api/v2/tokens`: lists the sessions of an account. */
import type { AccountId, TokenListResponse } from '@ratafia/api'
import type { TokenDependencies } from './dependencies.ts'
import { tokenRecord } from './session.ts'

/** An answer has at most this many records, newest first, because the specification has no paging. */
const LIST_LIMIT = 10_000

/** `includeInactive`: whether to also list revoked and expired sessions. */
export async function listTokens(
  { accountId, includeInactive }: { readonly accountId: AccountId; readonly includeInactive: boolean },
  { tokenSessions, clock }: Pick<TokenDependencies, 'tokenSessions' | 'clock'>,
): Promise<TokenListResponse> {
  const activeAt = includeInactive ? undefined : clock()
  const sessions = await tokenSessions.list({ accountId, activeAt, limit: LIST_LIMIT })
  return { macaroons: sessions.map(tokenRecord) }
}
