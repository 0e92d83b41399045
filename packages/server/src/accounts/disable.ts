/**
 * Disables an account: it cannot log in, and its tokens and agents stop working, until it is enabled again. Its logins
 * that were not used yet never open anything.
 */
import type { Changing } from '../change.ts'
import type { GrantStore } from '../management/grants/grant-store.ts'
import { requireOtherOperator } from '../management/grants/last-operator.ts'
import type { Account } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import type { AccountStore } from './account-store.ts'
import { findAccount } from './find.ts'

interface DisableDeps extends Omit<AccountDeps, 'passwords' | 'change'> {
  readonly change: Changing<{ readonly accounts: AccountStore; readonly grants: GrantStore }>
}

/** An account that was disabled already keeps its time. Throws `no-such-record`, and `last-operator`. */
export async function disableAccount(nameOrId: string, deps: DisableDeps): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const disabled = await deps.change(async ({ accounts, grants, record }) => {
    const at = deps.clock()
    await requireOtherOperator(account.id, { grants }, at)
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
