/** One account, for whoever may see accounts. */
import { type Authority, requireForAll } from '../../authority.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { findAccount } from '../find.ts'

/** An account that an administrator names, by id or username. */
export interface NamedAccount {
  readonly account: string
  readonly authority: Authority
}

/** Throws {@link RequestError} `permission-denied`, and `no-such-record`. */
export async function showAccount(
  { account, authority }: NamedAccount,
  deps: TransactionStores,
): Promise<Account> {
  requireForAll(authority, 'accounts:read')
  return findAccount(account, deps)
}
