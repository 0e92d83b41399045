/** Enables a disabled account: it can log in again, and its tokens that were not revoked work again. */
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { findAccount } from './find.ts'

/** Does nothing to an enabled account. Throws `invalid-field` when there is no such account. */
export async function enableAccount(
  nameOrId: string,
  deps: { readonly accounts: AccountStore },
): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  return (await deps.accounts.enable(account.id)) ?? account
}
