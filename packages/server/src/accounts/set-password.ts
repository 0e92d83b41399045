/** Sets the password of an account and signs it out of every browser. */
import { type Account, requireNotRemoved } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import { findAccount } from './find.ts'
import { chosenPasswordBytes } from './password.ts'

/** Throws `invalid-field` when there is no such account or the password breaks its rule. */
export async function setPassword(
  { account: nameOrId, password }: { readonly account: string; readonly password: string },
  deps: Omit<AccountDeps, 'clock'>,
): Promise<Account> {
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
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
