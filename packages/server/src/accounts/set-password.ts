/** Sets the password of an account, and signs it out everywhere. */
import type { AccountId } from '@ratafia/api'
import type { Changing } from '../change.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountFinder, findAccount } from './find.ts'
import { chosenPasswordBytes } from './password.ts'
import type { PasswordHasher } from './password-hasher.ts'

/** The browsers that are signed in as an account; kept by the identity service. */
export interface SignInSessions {
  removeAllOf(accountId: AccountId): Promise<void>
}

interface SetPasswordDeps {
  readonly accounts: AccountFinder
  readonly passwords: PasswordHasher
  readonly signInSessions: SignInSessions
  readonly change: Changing<{ readonly accounts: AccountStore }>
}

/** Throws `invalid-field`: no such account, or the password breaks its rule. */
export async function setPassword(
  { account: nameOrId, password }: { readonly account: string; readonly password: string },
  deps: SetPasswordDeps,
): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const passwordHash = await deps.passwords.hash(chosenPasswordBytes(password))
  await deps.change(async ({ accounts, record }) => {
    await accounts.setPasswordHash(account.id, passwordHash)
    await record({ action: 'account.set-password', subject: account.username })
  })
  // After the hash is stored: who signed in with the old password before this line is signed out by it, and who is
  // just about to looks at the hash once more.
  await deps.signInSessions.removeAllOf(account.id)
  return { ...account, hasPassword: true }
}
