/** Sets the password of an account and signs it out of every browser. */
import type { Changing } from '../change.ts'
import type { SignInSessionStore } from '../identity/logins/sign-in-session-store.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountFinder, findAccount } from './find.ts'
import { chosenPasswordBytes } from './password.ts'
import type { PasswordHasher } from './password-hasher.ts'

interface SetPasswordDeps {
  readonly accounts: AccountFinder
  readonly passwords: PasswordHasher
  readonly signInSessions: Pick<SignInSessionStore, 'removeAllOf'>
  readonly change: Changing<{ readonly accounts: AccountStore }>
}

/** Throws `invalid-field` when there is no such account or the password breaks its rule. */
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
  // After the hash is stored: this signs out whoever signed in with the old password before, and whoever is doing so
  // right now checks the hash once more.
  await deps.signInSessions.removeAllOf(account.id)
  return { ...account, hasPassword: true }
}
