/** `POST /api/v2/tokens/revoke`: ends a session, and with it the root and every token exchanged from it. */
import { type AccountId, isSessionId, type TokenListResponse } from '@ratafia/api'
import type { Clock } from '../clock.ts'
import { RequestError } from '../errors.ts'
import { tokenRecord } from './session.ts'
import type { SessionStore } from './session-store.ts'

export interface Revocation {
  readonly sessionId: string
  /** Who revokes: a username, or `operator`. */
  readonly by: string
  /** Only a session of this account; the operator revokes any. */
  readonly accountId?: AccountId
}

/**
 * Revokes and returns the record; a session revoked before keeps its first revocation. Throws
 * {@link RequestError} `resource-not-found`, the same for a session of another account as for none.
 */
export async function revokeToken(
  { sessionId, by, accountId }: Revocation,
  { sessions, clock }: { readonly sessions: SessionStore; readonly clock: Clock },
): Promise<TokenListResponse> {
  const session = isSessionId(sessionId)
    ? await sessions.revoke({
        id: sessionId,
        at: clock(),
        by,
        ...(accountId === undefined ? {} : { accountId }),
      })
    : undefined
  if (!session) {
    throw new RequestError(
      'resource-not-found',
      'There is no session of this id that your credentials may revoke.',
    )
  }
  return { macaroons: [tokenRecord(session)] }
}
