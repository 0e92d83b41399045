/** Disables an account: it cannot log in, and its tokens and agents stop working, until it is enabled again. */
import type { Changing } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountFinder, findAccount } from './find.ts'
import type { SignInSessions } from './set-password.ts'

interface DisableAccountDeps {
  readonly accounts: AccountFinder
  readonly signInSessions: SignInSessions
  readonly change: Changing<{ readonly accounts: AccountStore }>
  readonly clock: Clock
}

/** An account that is disabled already keeps its time. Throws `invalid-field` when there is no such account. */
export async function disableAccount(nameOrId: string, deps: DisableAccountDeps): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const disabled = await deps.change(async ({ accounts, record }) => {
    if (await accounts.disable(account.id, deps.clock())) {
      await record({ action: 'account.disable', subject: account.username })
    }
    return (await accounts.findById(account.id)) ?? account
  })
  // Only tidying: a session of a disabled account opens nothing. But enabling must not bring old sessions back. After
  // the change is stored: who signs in at this moment looks at the account once more.
  await deps.signInSessions.removeAllOf(account.id)
  return disabled
}
