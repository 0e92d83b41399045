/** Ends one's own sessions, all of them or all but some: after a computer, or a token of unknown origin, was lost. */
import { isSessionId } from '@ratafia/api'
import { type Authority, requireRecentPerson } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'

/** One transaction: each has its entry in the audit log. */
const MOST = 1_000

/**
 * Without `allBut`, the caller's unused logins end as well, and every browser is signed out. With `allBut` they cannot
 * end, because a session that continues can be presented as the root and the discharge of its login. `more` means that
 * sessions are left. Throws {@link RequestError} `person-required` and `recent-sign-in-required`, and `invalid-field` if
 * `allBut` has an id that is not a session of this account, so that a typing error doesn't end the session to keep.
 */
export async function revokeMine(
  { authority, allBut }: { readonly authority: Authority; readonly allBut: readonly string[] },
  { changeBy, clock, tokenSessions: sessions }: Stores,
): Promise<{ readonly revoked: number; readonly more: boolean }> {
  const at = clock()
  requireRecentPerson(authority, at)
  const { accountId, by } = authority
  if (accountId === undefined) throw new TypeError('only an account has sessions of its own')
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
    // First: whoever opens a session from now on does so with a later login, or is refused.
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
