/** Removes an account permanently, for data protection: revokes all its credentials, and deletes its personal data. */
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
  /** The account after its removal. */
  readonly account: Account
  /** The number of its sessions that were revoked. */
  readonly revoked: number
  /** The number of its CI rules that were removed. */
  readonly rules: number
  /** Whether it had been removed earlier, so that nothing was done. */
  readonly before: boolean
}

/**
 * Removes the account. Because this cannot be undone, it requires a person who signed in recently. Throws as
 * `requireMayManage` does, `no-such-record` and `last-operator`.
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
    // The entry does not name the account by its username, which would stay as long as the audit log.
    if (cleared) {
      // A request that grants it a role either came first, or waits for this transaction.
      await on.grants.removeAllOf(id)
      const { sessions, rules } = cleared
      await record({ action: 'account.remove', subject: replacement, details: { id, sessions, rules } })
    }
    return cleared
  })
  // Repeat this after the change is stored: a sign-in in progress checks the account once more after its own insert.
  await stores.signInSessions.removeAllOf(id)
  const removed = await stores.accounts.findById(id)
  if (!removed) throw new TypeError(`no account ${id}`)
  const { sessions = 0, rules = 0 } = cleared ?? {}
  return { account: removed, revoked: sessions, rules, before: cleared === undefined }
}

/** Derives a username from the random id. It is hashed, because usernames have no capital letters. */
function replacementOf({ id }: Account): Username {
  // The cast is safe: these are 28 characters that usernames can have.
  return `removed-${createHash('sha256').update(id).digest('hex').slice(0, 20)}` as Username
}
