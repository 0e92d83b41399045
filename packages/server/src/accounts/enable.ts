/** Enables a disabled account: it can log in again, and its tokens that were not revoked work again. */
import { requireForAll } from '../authority.ts'
import type { Stores } from '../stores.ts'
import { type Account, requireNotRemoved } from './account.ts'
import { accountRecord } from './administration/account-record.ts'
import type { AccountChange } from './administration/edit-account.ts'
import { requireMayManage } from './administration/may-manage.ts'
import { findAccount } from './find.ts'

/**
 * Does nothing to an enabled account. Throws {@link RequestError}: as `requireMayManage`, `no-such-record`,
 * `state-conflict` for a removed account, what `mustBeSeen` throws.
 */
export async function enableAccount(
  { account: nameOrId, authority, mustBeSeen }: AccountChange,
  deps: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = await findAccount(nameOrId, deps)
  return deps.changeBy(authority.author)(async (on) => {
    await requireMayManage({ authority, account }, on, deps.clock())
    const now = requireNotRemoved((await on.accounts.lock(account.id)) ?? account)
    mustBeSeen?.(await accountRecord(now, on))
    if (await on.accounts.enable(account.id)) {
      // An external identity service may have vouched for it meanwhile.
      await on.accounts.endLogins(account.id, deps.clock())
      await on.record({ action: 'account.enable', subject: account.username })
    }
    return (await on.accounts.findById(account.id)) ?? account
  })
}
