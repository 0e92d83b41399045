/** Removes an account for good, for the protection of data: everything of it ends, and nothing personal is left. */
import { createHash } from 'node:crypto'
import type { Username } from '@ratafia/api'
import { requireForAll, requireRecentPerson } from '../../authority.ts'
import { requireOtherOperator } from '../../grants/last-operator.ts'
import type { Stores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { requireMayManage } from '../administration/may-manage.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { findAccount } from '../find.ts'

export interface RemovedAccount {
  /** As it is now. */
  readonly account: Account
  /** How many of its sessions were revoked with it. */
  readonly revoked: number
  /** How many of its rules for jobs of CI systems were removed. */
  readonly rules: number
  /** It was removed earlier, and nothing was done. */
  readonly before: boolean
}

/**
 * Only people who signed in a short while ago remove an account: it cannot be undone. Throws as `requireMayManage`;
 * `no-such-record`; `last-operator`.
 */
export async function removeAccount(
  { account: nameOrId, authority }: NamedAccount,
  stores: Stores,
): Promise<RemovedAccount> {
  const account = await findAccount(nameOrId, stores)
  const { id } = account
  const { by } = authority
  requireForAll(authority, 'accounts:manage')
  requireRecentPerson(authority, stores.clock())
  const cleared = await stores.changeBy(authority.author)(async (on) => {
    const { accountRemovals, record } = on
    await requireMayManage({ authority, account }, on, stores.clock())
    const replacement = replacementOf(account)
    await requireOtherOperator(id, on, stores.clock())
    const cleared = await accountRemovals.clear(account, { replacement, at: stores.clock(), by })
    // Not by its username, which the entry would keep for as long as the audit log is kept.
    if (cleared) {
      // Whoever gave it a role waited for this, or was first.
      await on.grants.removeAllOf(id)
      const { sessions, rules } = cleared
      await record({ action: 'account.remove', subject: replacement, details: { id, sessions, rules } })
    }
    return cleared
  })
  // Again, after the change is stored: whoever was signing in meanwhile checks the account once more.
  await stores.signInSessions.removeAllOf(id)
  const removed = await stores.accounts.findById(id)
  if (!removed) throw new TypeError(`no account ${id}`)
  const { sessions = 0, rules = 0 } = cleared ?? {}
  return { account: removed, revoked: sessions, rules, before: cleared === undefined }
}

/** From the id, which is random, by a hash: usernames have no capital letters. */
function replacementOf({ id }: Account): Username {
  // 28 characters of those that usernames have.
  return `removed-${createHash('sha256').update(id).digest('hex').slice(0, 20)}` as Username
}
