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
 * The account cannot log in, and its tokens and agents stop working, until it is enabled again. Its logins that were not
 * used yet never open anything. An account that was disabled already keeps its time. Throws {@link RequestError}: as `requireMayManage`,
 * `no-such-record`, `last-operator`, what `mustBeSeen` throws.
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
    // Before the account: whoever locks both does so in this order.
    await requireOtherOperator(account.id, on, at)
    const now = (await on.accounts.lock(account.id)) ?? account
    mustBeSeen?.(await accountRecord(now, on))
    if (await on.accounts.disable(account.id, at)) {
      await on.accounts.endLogins(account.id, at)
      await on.record({ action: 'account.disable', subject: account.username })
    }
    return (await on.accounts.findById(account.id)) ?? account
  })
  // A session of a disabled account opens nothing, but enabling must not bring old sessions back. After the change is
  // stored: whoever is signing in right now checks the account once more.
  await stores.signInSessions.removeAllOf(account.id)
  return disabled
}

/**
 * The account can log in again, and its tokens that were not revoked work again. Does nothing to an enabled account. Throws {@link RequestError}: as `requireMayManage`, `no-such-record`,
 * `state-conflict` for a removed account, what `mustBeSeen` throws.
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
      // An external identity service may have vouched for it meanwhile.
      await on.accounts.endLogins(account.id, stores.clock())
      await on.record({ action: 'account.enable', subject: account.username })
    }
    return (await on.accounts.findById(account.id)) ?? account
  })
}
