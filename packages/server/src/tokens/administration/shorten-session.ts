/**
 * Moves the expiry of one of the caller's sessions to an earlier instant. This lets a new token replace it
 * while both work for a while (contract/administration.md, resources).
 */
import { invalidField, stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { ListedSession } from '../session.ts'
import { findSession, type SessionChange } from './revoke-session.ts'

/** Two tokens for the same purpose are not needed for longer than this. */
const MOST_MS = 30 * 86_400_000

/**
 * Returns the session unchanged if it expires by then anyway. Throws {@link RequestError} `invalid-field` for
 * an instant more than 30 days ahead, `state-conflict` for a revoked session, and as `findSession` does.
 */
export async function shortenSession(
  { until, ...change }: Omit<SessionChange, 'own'> & { readonly until: Date },
  stores: Stores,
): Promise<ListedSession> {
  const now = stores.clock()
  if (until.getTime() > now.getTime() + MOST_MS) {
    throw invalidField('body/until is more than 30 days ahead. Choose an earlier time.', {
      field: 'body/until',
    })
  }
  // An instant in the past means now, for callers who want no overlap.
  const end = until < now ? now : until
  const found = await findSession({ ...change, own: true }, stores)
  if (found.revokedAt) {
    throw stateConflict(`The session was revoked at ${found.revokedAt.toISOString()}.`, { status: 'revoked' })
  }
  return stores.changeBy(change.authority.author)(async ({ tokenSessions, record }) => {
    if (!(await tokenSessions.shorten(found.id, end))) return found
    const details = { from: found.validUntil.toISOString(), until: end.toISOString() }
    await record({ action: 'token.shorten', subject: found.id, details })
    return { ...found, validUntil: end }
  })
}
