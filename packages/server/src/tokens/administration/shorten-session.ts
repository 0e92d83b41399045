/**
 * Brings the end of one's own session forward: a new token replaces it, and for a while both work
 * (contract/administration.md, resources).
 */
import { invalidField, stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { ListedSession } from '../session.ts'
import { findSession, type SessionChange } from './revoke-session.ts'

/** Longer than this nobody needs two tokens for one thing. */
const MOST_MS = 30 * 86_400_000

/**
 * A session that ends by then already stays as it is. Throws {@link RequestError}: `invalid-field` for an end that is
 * past or more than 30 days ahead, `state-conflict` for a revoked session, and as `findSession` does.
 */
export async function shortenSession(
  { until, ...change }: Omit<SessionChange, 'own'> & { readonly until: Date },
  stores: Stores,
): Promise<ListedSession> {
  const now = stores.clock()
  if (until.getTime() > now.getTime() + MOST_MS) {
    throw invalidField('body/until is more than 30 days ahead.', { field: 'body/until' })
  }
  // The end is now for whoever wants no overlap.
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
