/** Disables accounts, and enables them again. */
import { requireForAll } from '../authority.ts'
import { requireOtherOperator } from '../grants/last-operator.ts'
import type { Stores } from '../stores.ts'
import { type Account, requireNotRemoved } from './account.ts'
import { accountRecord } from './administration/account-record.ts'
import type { AccountChange } from './administration/edit-account.ts'
import { requireMayManage } from './administration/may-manage.ts'
import { findAccount } from './find.ts'

/**
 * Disables the account: it cannot log in, and its tokens and agents stop working, until it is enabled again. Its unused
 * logins are invalidated permanently. An account that is disabled already keeps its time. Throws {@link RequestError}
 * as `requireMayManage` does, `no-such-record`, `last-operator`, and whatever `mustBeSeen` throws.
 */
export async function disableAccount(
  { account: nameOrId, authority, mustBeSeen }: AccountChange,
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = await findAccount(nameOrId, stores)
  const disabled = await stores.changeBy(authority.author)(async (on) => {
    const at = stores.clock()
    await requireMayManage({ authority, account }, on, at)
    // Locked before the account, in the same order as everywhere.
    await requireOtherOperator(account.id, on, at)
    const now = (await on.accounts.lock(account.id)) ?? account
    mustBeSeen?.(await accountRecord(now, on))
    if (await on.accounts.disable(account.id, at)) {
      await on.accounts.endLogins(account.id, at)
      await on.record({ action: 'account.disable', subject: account.username })
    }
    return (await on.accounts.findById(account.id)) ?? account
  })
  // A sign-in of a disabled account opens nothing, but enabling must not restore it. This comes after the
  // change is stored: a sign-in in progress checks the account once more after its own insert.
  await stores.signInSessions.removeAllOf(account.id)
  return disabled
}

/**
 * Enables the account: it can log in again, and its tokens that were not revoked work again. Does nothing to
 * an enabled account. Throws {@link RequestError} as `requireMayManage` does, `no-such-record`,
 * `state-conflict` for a removed account, and whatever `mustBeSeen` throws.
 */
export async function enableAccount(
  { account: nameOrId, authority, mustBeSeen }: AccountChange,
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = await findAccount(nameOrId, stores)
  return stores.changeBy(authority.author)(async (on) => {
    await requireMayManage({ authority, account }, on, stores.clock())
    const now = requireNotRemoved((await on.accounts.lock(account.id)) ?? account)
    mustBeSeen?.(await accountRecord(now, on))
    if (await on.accounts.enable(account.id)) {
      // An external identity service may have issued discharges for it meanwhile.
      await on.accounts.endLogins(account.id, stores.clock())
      await on.record({ action: 'account.enable', subject: account.username })
    }
    return (await on.accounts.findById(account.id)) ?? account
  })
}
