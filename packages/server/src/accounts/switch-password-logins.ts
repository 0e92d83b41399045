/** Lets programs log in with the password of an account, or not. The pages of the identity service take it all the same. */
import { type Account, requireNotRemoved } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import { findAccount } from './find.ts'

/** Does nothing where it is so already. Throws `invalid-field` when there is no such account, or it is removed. */
export async function switchPasswordLogins(
  { account: nameOrId, on: wanted }: { readonly account: string; readonly on: boolean },
  deps: Pick<AccountDeps, 'accounts' | 'change' | 'clock'>,
): Promise<Account> {
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
  return deps.change(async ({ accounts, record }) => {
    if (await accounts.switchPasswordLogins(account.id, wanted ? undefined : deps.clock())) {
      const action = wanted ? 'account.password-logins-on' : 'account.password-logins-off'
      await record({ action, subject: account.username })
    }
    return (await accounts.findById(account.id)) ?? account
  })
}
