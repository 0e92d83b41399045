/** Disables an account: it cannot log in, and its tokens and agents stop working, until it is enabled again. */
import type { Changing } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { SignInSessionStore } from '../identity/logins/sign-in-session-store.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountFinder, findAccount } from './find.ts'

interface DisableAccountDeps {
  readonly accounts: AccountFinder
  readonly signInSessions: Pick<SignInSessionStore, 'removeAllOf'>
  readonly change: Changing<{ readonly accounts: AccountStore }>
  readonly clock: Clock
}

/** An account that was disabled already keeps its time. Throws `invalid-field` when there is no such account. */
export async function disableAccount(nameOrId: string, deps: DisableAccountDeps): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const disabled = await deps.change(async ({ accounts, record }) => {
    if (await accounts.disable(account.id, deps.clock())) {
      await record({ action: 'account.disable', subject: account.username })
    }
    return (await accounts.findById(account.id)) ?? account
  })
  // A session of a disabled account opens nothing, but enabling must not bring old sessions back. After the change is
  // stored: whoever is signing in right now checks the account once more.
  await deps.signInSessions.removeAllOf(account.id)
  return disabled
}
