/**
 * Disables an account: it cannot log in, and its tokens and agents stop working, until it is enabled again. Its logins
 * that were not used yet never open anything.
 */
import type { Account } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import { findAccount } from './find.ts'

/** An account that was disabled already keeps its time. Throws `invalid-field` when there is no such account. */
export async function disableAccount(
  nameOrId: string,
  deps: Omit<AccountDeps, 'passwords'>,
): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const disabled = await deps.change(async ({ accounts, record }) => {
    const at = deps.clock()
    if (await accounts.disable(account.id, at)) {
      await accounts.endLogins(account.id, at)
      await record({ action: 'account.disable', subject: account.username })
    }
    return (await accounts.findById(account.id)) ?? account
  })
  // A session of a disabled account opens nothing, but enabling must not bring old sessions back. After the change is
  // stored: whoever is signing in right now checks the account once more.
  await deps.signInSessions.removeAllOf(account.id)
  return disabled
}
