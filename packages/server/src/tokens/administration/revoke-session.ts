/** Revokes a session and all its tokens: one of the caller, or for administrators one of any account. */
import { isSessionId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import { noSuchRecord, quote } from '../../errors.ts'
import { requireMayActOn } from '../../grants/may-act-on.ts'
import type { Stores } from '../../stores.ts'
import type { ListedSession } from '../session.ts'

export interface SessionChange {
  readonly sessionId: string
  readonly authority: Authority
  /** Revokes only a session of the caller. Default: of any account, which requires `tokens:revoke`. */
  readonly own?: boolean
  /** Throws `version-mismatch` if the session differs from what the caller has seen. */
  readonly mustBeSeen?: (now: ListedSession) => void
}

/**
 * Revokes the session; `before` is true if it was revoked already, and then nothing changes. Throws
 * {@link RequestError} as {@link findSession} does.
 */
export async function revokeSession(
  change: SessionChange,
  stores: Stores,
): Promise<{ readonly session: ListedSession; readonly before: boolean }> {
  const found = await findSession(change, stores)
  const { author, by } = change.authority
  return stores.changeBy(author)(async ({ tokenSessions, record }) => {
    const revoked = await tokenSessions.revoke({ id: found.id, at: stores.clock(), by })
    if (!revoked) throw noSuchSession(found.id)
    if (revoked.first) await record({ action: 'token.revoke', subject: found.id })
    return { session: { ...found, ...revoked.session }, before: !revoked.first }
  })
}

/**
 * Returns the session if the caller may change it. Throws {@link RequestError} `permission-denied`, or
 * `no-such-record` with the same message for a session that does not exist and for one of another account;
 * and whatever `mustBeSeen` throws.
 */
export async function findSession(
  { sessionId, authority, own = false, mustBeSeen }: SessionChange,
  stores: Stores,
): Promise<ListedSession> {
  const { tokenSessions, clock } = stores
  if (!own) requireForAll(authority, 'tokens:revoke')
  const session = isSessionId(sessionId) ? await tokenSessions.find(sessionId) : undefined
  if (!session || (own && session.accountId !== authority.accountId)) throw noSuchSession(sessionId)
  if (!own) await requireMayActOn({ authority, accountId: session.accountId }, stores, clock())
  mustBeSeen?.(session)
  return session
}

export const noSuchSession = (id: string) =>
  noSuchRecord(`There is no session ${quote(id)}. \`ratafia tokens list\` shows them.`, {
    kind: 'session',
    id,
  })
