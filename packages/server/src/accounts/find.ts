/** Finds the account that an operator names. */
import { isAccountId, isUsername } from '@ratafia/api'
import { noSuchRecord } from '../errors.ts'
import type { TransactionStores } from '../stores.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'

/** Finds an account by username or by account id, which never have the same length. */
export async function accountNamed(nameOrId: string, accounts: AccountStore): Promise<Account | undefined> {
  if (isUsername(nameOrId)) return accounts.findByUsername(nameOrId)
  return isAccountId(nameOrId) ? accounts.findById(nameOrId) : undefined
}

/** Finds an account as {@link accountNamed} does. Throws `no-such-record` if there is none. */
export async function findAccount(nameOrId: string, { accounts }: TransactionStores): Promise<Account> {
  const account = await accountNamed(nameOrId, accounts)
  if (account) return account
  throw noSuchAccount(nameOrId)
}

export const noSuchAccount = (nameOrId: string) =>
  noSuchRecord(`There is no account ${JSON.stringify(nameOrId.slice(0, 64))}.`, {
    kind: 'account',
    id: nameOrId,
  })
