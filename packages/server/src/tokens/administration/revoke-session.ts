/** Ends a session, and with it every token of it: one's own, or for an administrator that of any account. */
import { isSessionId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import type { ChangingBy } from '../../change.ts'
import type { Clock } from '../../clock.ts'
import { noSuchRecord } from '../../errors.ts'
import type { GrantStore } from '../../grants/grant-store.ts'
import { requireMayActOn } from '../../grants/may-act-on.ts'
import type { ListedSession } from '../session.ts'
import type { SessionStore } from '../session-store.ts'

export interface SessionChange {
  readonly sessionId: string
  readonly authority: Authority
  /** Only if it is one's own. Default: of any account, which takes `tokens:revoke`. */
  readonly own?: boolean
  /** Throws `version-mismatch` for a session that is not what the caller has seen. */
  readonly mustBeSeen?: (now: ListedSession) => void
}

export interface SessionChangeDeps {
  readonly tokenSessions: Pick<SessionStore, 'find'>
  readonly grants: Pick<GrantStore, 'heldBy'>
  readonly changeBy: ChangingBy
  readonly clock: Clock
}

/** One that was revoked before stays as it is. Throws {@link RequestError} as {@link findSession} does. */
export async function revokeSession(
  change: SessionChange,
  deps: SessionChangeDeps,
): Promise<{ readonly session: ListedSession; readonly before: boolean }> {
  const found = await findSession(change, deps)
  const { author, by } = change.authority
  return deps.changeBy(author)(async ({ tokenSessions, record }) => {
    const revoked = await tokenSessions.revoke({ id: found.id, at: deps.clock(), by })
    if (!revoked) throw noSuchSession(found.id)
    if (revoked.first) await record({ action: 'token.revoke', subject: found.id })
    return { session: { ...found, ...revoked.session }, before: !revoked.first }
  })
}

/**
 * Throws {@link RequestError}: `permission-denied`; `no-such-record`, in the same words for one of another account; what
 * `mustBeSeen` throws.
 */
export async function findSession(
  { sessionId, authority, own = false, mustBeSeen }: SessionChange,
  { tokenSessions, grants, clock }: SessionChangeDeps,
): Promise<ListedSession> {
  if (!own) requireForAll(authority, 'tokens:revoke')
  const session = isSessionId(sessionId) ? await tokenSessions.find(sessionId) : undefined
  if (!session || (own && session.accountId !== authority.accountId)) throw noSuchSession(sessionId)
  if (!own) await requireMayActOn({ authority, accountId: session.accountId }, { grants }, clock())
  mustBeSeen?.(session)
  return session
}

export const noSuchSession = (id: string) =>
  noSuchRecord('There is no session with this id that you may see.', { kind: 'session', id })
