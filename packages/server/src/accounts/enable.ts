/** Enables a disabled account: it can log in again, and its tokens that were not revoked work again. */
import { type Account, requireNotRemoved } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import { findAccount } from './find.ts'

/** Does nothing to an enabled account. Throws `invalid-field` when there is no such account, or it is removed. */
export async function enableAccount(
  nameOrId: string,
  deps: Pick<AccountDeps, 'accounts' | 'change' | 'clock'>,
): Promise<Account> {
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
  return deps.change(async ({ accounts, record }) => {
    if (await accounts.enable(account.id)) {
      // An external identity service may have vouched for it meanwhile.
      await accounts.endLogins(account.id, deps.clock())
      await record({ action: 'account.enable', subject: account.username })
    }
    return (await accounts.findById(account.id)) ?? account
  })
}
