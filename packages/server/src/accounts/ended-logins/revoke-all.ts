/**
 * Revokes every token of an account, and invalidates its logins, for example after a password, agent key or
 * computer was stolen. The account can log in again at once.
 */
import { requireForAll, requireRecentPerson } from '../../authority.ts'
import { requireMayActOn } from '../../grants/may-act-on.ts'
import type { Stores } from '../../stores.ts'
import type { Account } from '../account.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { findAccount } from '../find.ts'
import { CLOCK_MARGIN_MS } from './end-console-sessions.ts'

/** The number of sessions revoked in one transaction. */
const BATCH = 200

/**
 * Returns the number of revoked sessions. If it is interrupted, the logins are already invalidated, and running it
 * again revokes the remaining sessions. The caller must be a person who signed in recently and has every role that the
 * account has. Throws `permission-denied`, `person-required`, `recent-sign-in-required`, `no-such-record`.
 */
export async function revokeAll(
  { account: nameOrId, authority }: NamedAccount,
  stores: Stores,
): Promise<{ readonly account: Account; readonly revoked: number }> {
  const { tokenSessions, signInSessions, changeBy, clock } = stores
  requireForAll(authority, 'tokens:revoke')
  requireRecentPerson(authority, clock())
  const account = await findAccount(nameOrId, stores)
  const { by, author } = authority
  const change = changeBy(author)
  // First, so that only later logins can open sessions from now on.
  await change(async (on) => {
    const { accounts, record } = on
    await requireMayActOn({ authority, accountId: account.id }, on, clock())
    await accounts.endLogins(account.id, clock())
    await record({ action: 'token.revoke-all', subject: account.username })
  })
  await signInSessions.removeAllOf(account.id)
  const tried = new Set<string>()
  const activeAt = new Date(clock().getTime() - CLOCK_MARGIN_MS)
  for (let revoked = 0; ; ) {
    const sessions = await tokenSessions.list({ accountId: account.id, activeAt, limit: BATCH })
    if (sessions.length === 0) {
      return { account: (await stores.accounts.findById(account.id)) ?? account, revoked }
    }
    // Prevents an endless loop if the database does not keep revocations.
    if (sessions.every(({ id }) => tried.has(id))) {
      throw new TypeError(`the session ${sessions[0]?.id} is listed again after it was revoked`)
    }
    for (const { id } of sessions) tried.add(id)
    revoked += await change(async ({ tokenSessions, record }) => {
      let first = 0
      for (const { id } of sessions) {
        const revocation = await tokenSessions.revoke({ id, at: clock(), by })
        if (!revocation?.first) continue
        first++
        await record({ action: 'token.revoke', subject: id })
      }
      return first
    })
  }
}
