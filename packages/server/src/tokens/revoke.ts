/** `POST /api/v2/tokens/revoke`: revokes a session, and with it its root and every token exchanged from that root. */
import { type AccountId, isSessionId, type SessionId, type TokenListResponse } from '@ratafia/api'
import type { AuthoredStores } from '../change.ts'
import { RequestError } from '../errors.ts'
import { type SessionKind, tokenRecord } from './session.ts'

export interface Revocation {
  readonly sessionId: string
  /** The username of the person who revokes it, or `operator`. */
  readonly by: string
  /** Revokes only a session of this account. Absent for the operator, who can revoke any. */
  readonly accountId?: AccountId
  /** Revokes only a session of this kind. Default: any. */
  readonly kind?: SessionKind
}

/**
 * Revokes the session and returns its record. If it was already revoked, the first revocation stays. Throws
 * {@link RequestError} `resource-not-found`, with the same message for a session of another account or kind
 * and for one that does not exist.
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
