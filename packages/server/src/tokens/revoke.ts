/** `POST /api/v2/tokens/revoke`: ends a session, and with it the root and every token exchanged from it. */
import { type AccountId, isSessionId, type SessionId, type TokenListResponse } from '@ratafia/api'
import type { Changing } from '../change.ts'
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

interface RevokeDeps {
  readonly change: Changing<{ readonly sessions: Pick<SessionStore, 'revoke'> }>
  readonly clock: Clock
}

/**
 * Revokes and returns the record; a session revoked before keeps its first revocation. Throws
 * {@link RequestError} `resource-not-found`, the same for a session of another account as for none.
 */
export async function revokeToken(
  { sessionId, by, accountId }: Revocation,
  { change, clock }: RevokeDeps,
): Promise<TokenListResponse> {
  const revoke = (id: SessionId) =>
    change(async ({ sessions, record }) => {
      const whose = accountId === undefined ? {} : { accountId }
      const revoked = await sessions.revoke({ id, at: clock(), by, ...whose })
      if (revoked?.first) await record({ action: 'token.revoke', subject: id })
      return revoked?.session
    })
  const session = isSessionId(sessionId) ? await revoke(sessionId) : undefined
  if (!session) {
    throw new RequestError(
      'resource-not-found',
      'There is no session of this id that your credentials may revoke.',
    )
  }
  return { macaroons: [tokenRecord(session)] }
}
