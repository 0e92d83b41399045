/** Switches programs' logins with an account's password on or off. The identity service's pages still accept it. */
import { requireForAll } from '../authority.ts'
import type { Stores } from '../stores.ts'
import { type Account, requireNotRemoved } from './account.ts'
import { requireMayManage } from './administration/may-manage.ts'
import type { NamedAccount } from './administration/show-account.ts'
import { findAccount } from './find.ts'

/**
 * Switches them, if that changes anything. Throws as `requireMayManage` does, `no-such-record`, and
 * `state-conflict` if the account is removed.
 */
export async function switchPasswordLogins(
  { account: nameOrId, on: wanted, authority }: NamedAccount & { readonly on: boolean },
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = requireNotRemoved(await findAccount(nameOrId, stores))
  return stores.changeBy(authority.author)(async (on) => {
    const { accounts, record } = on
    await requireMayManage({ authority, account }, on, stores.clock())
    if (await accounts.switchPasswordLogins(account.id, wanted ? undefined : stores.clock())) {
      const action = wanted ? 'account.password-logins-on' : 'account.password-logins-off'
      await record({ action, subject: account.username })
    }
    return (await accounts.findById(account.id)) ?? account
  })
}
