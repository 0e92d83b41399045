/** Sets the password of an account, signs it out of every browser, and ends its logins that were not used yet. */
import { type Account, requireNotRemoved } from '../account.ts'
import type { AccountDeps } from '../account-deps.ts'
import { findAccount } from '../find.ts'
import { chosenPasswordBytes } from './password.ts'

/** Throws `invalid-field` when there is no such account or the password breaks its rule. */
export async function setPassword(
  { account: nameOrId, password }: { readonly account: string; readonly password: string },
  deps: AccountDeps,
): Promise<Account> {
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
  const passwordHash = await deps.passwords.hash(chosenPasswordBytes(password))
  await deps.change(async ({ accounts, record }) => {
    await accounts.setPasswordHash(account.id, passwordHash)
    await accounts.endLogins(account.id, deps.clock())
    await record({ action: 'account.set-password', subject: account.username })
  })
  // After the hash is stored: this signs out whoever signed in with the old password before, and whoever is doing so
  // right now checks the hash once more.
  await deps.signInSessions.removeAllOf(account.id)
  return (await deps.accounts.findById(account.id)) ?? account
}
