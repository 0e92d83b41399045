/** Revokes all of the caller's sessions, or all but some, for example after a computer or a token was lost. */
import { isSessionId } from '@ratafia/api'
import { type Authority, ownId, requireRecentPerson } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'

/** Limits the transaction, because each revocation has an entry in the audit log. */
const MOST = 1_000

/**
 * Revokes the sessions. Without `allBut`, the caller's unused logins are also invalidated, and every browser
 * is signed out. With `allBut` that is impossible, because a session to keep can be presented as the root and
 * discharge of its login. `more` is true if sessions are left. Throws {@link RequestError} `person-required`,
 * `recent-sign-in-required`, and `invalid-field` if `allBut` has an id that is not a session of this account,
 * so that a typing error doesn't revoke the session to keep.
 */
export async function revokeMine(
  { authority, allBut }: { readonly authority: Authority; readonly allBut: readonly string[] },
  { changeBy, clock, tokenSessions: sessions }: Stores,
): Promise<{ readonly revoked: number; readonly more: boolean }> {
  const at = clock()
  requireRecentPerson(authority, at)
  const { by } = authority
  const accountId = ownId(authority)
  for (const id of allBut) {
    const session = isSessionId(id) ? await sessions.find(id) : undefined
    if (session?.accountId !== accountId) {
      throw invalidField(
        `body/all_but names ${JSON.stringify(id)}, which isn't one of your sessions. No session was revoked.`,
        {
          field: 'body/all_but',
        },
      )
    }
  }
  return changeBy(authority.author)(async ({ accounts, signInSessions, tokenSessions, record }) => {
    // First, so that only later logins can open sessions from now on.
    if (allBut.length === 0) {
      await accounts.endLogins(accountId, at)
      await signInSessions.removeAllOf(accountId)
      await record({ action: 'token.revoke-all', subject: by })
    }
    const { ids, more } = await tokenSessions.revokeOfAccount({
      ...{ accountId, except: allBut, at, by, limit: MOST },
    })
    for (const id of ids) await record({ action: 'token.revoke', subject: id })
    return { revoked: ids.length, more }
  })
}
