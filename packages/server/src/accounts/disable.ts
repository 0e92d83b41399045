/** Disables an account: it cannot log in, and its tokens and agents stop working, until it is enabled again. */
import type { Clock } from '../clock.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { findAccount } from './find.ts'
import type { SignInSessions } from './set-password.ts'

interface DisableAccountDeps {
  readonly accounts: AccountStore
  readonly signInSessions: SignInSessions
  readonly clock: Clock
}

/** An account that is disabled already keeps its time. Throws `invalid-field` when there is no such account. */
export async function disableAccount(nameOrId: string, deps: DisableAccountDeps): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const disabled = await deps.accounts.disable(account.id, deps.clock())
  // Only tidying: a session of a disabled account opens nothing. But enabling must not bring old sessions back.
  await deps.signInSessions.removeAllOf(account.id)
  return disabled ?? account
}
