/** `POST /api/v2/tokens/revoke`: ends a session, and with it its root and every token exchanged from that root. */
import { type AccountId, isSessionId, type SessionId, type TokenListResponse } from '@ratafia/api'
import type { AuthoredStores } from '../change.ts'
import { RequestError } from '../errors.ts'
import { type SessionKind, tokenRecord } from './session.ts'

export interface Revocation {
  readonly sessionId: string
  /** Who revokes: a username, or `operator`. */
  readonly by: string
  /** Only a session of this account; the operator revokes any. */
  readonly accountId?: AccountId
  /** Only a session of this kind. Default: any. */
  readonly kind?: SessionKind
}

/**
 * Revokes the session and returns its record; if it was already revoked, the first revocation stays. Throws
 * {@link RequestError} `resource-not-found`, in the same words for another account's session, for one of another kind,
 * and for none.
 */
export async function revokeToken(
  { sessionId, by, accountId, kind }: Revocation,
  { change, clock }: AuthoredStores,
): Promise<TokenListResponse> {
  const revoke = (id: SessionId) =>
    change(async ({ tokenSessions, record }) => {
      const whose = { ...(accountId !== undefined && { accountId }), ...(kind !== undefined && { kind }) }
      const revoked = await tokenSessions.revoke({ id, at: clock(), by, ...whose })
      if (revoked?.first) await record({ action: 'token.revoke', subject: id })
      return revoked?.session
    })
  const session = isSessionId(sessionId) ? await revoke(sessionId) : undefined
  if (!session) {
    throw new RequestError(
      'resource-not-found',
      'There is no session with this id that your credentials may revoke.',
    )
  }
  return { macaroons: [tokenRecord(session)] }
}
