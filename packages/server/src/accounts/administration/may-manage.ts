/** The permission checks for changes of an account (contract/administration.md, B10 and B13). */
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import { requireMayActOn } from '../../grants/may-act-on.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'

/**
 * Requires that the caller has every role that the account has, and if it has any, that the caller is a person who
 * signed in recently. Throws {@link RequestError}: `permission-denied`, `person-required`, `recent-sign-in-required`.
 */
export async function requireMayManage(
  { authority, account }: { readonly authority: Authority; readonly account: Pick<Account, 'id'> },
  stores: TransactionStores,
  now: Date,
): Promise<void> {
  requireForAll(authority, 'accounts:manage')
  const { holdsAny } = await requireMayActOn({ authority, accountId: account.id }, stores, now)
  if (holdsAny) requireRecentPerson(authority, now)
}

/**
 * Checks the same for a change that adds or replaces a credential: a password, a second factor, an identity or an
 * agent. Always requires a person who signed in recently (B11). Call it in the transaction of the change. Returns the
 * account, locked, or undefined if there is none. Throws as {@link requireMayManage} does.
 */
export async function requireMayLetIn(
  { authority, account }: { readonly authority: Authority; readonly account: Pick<Account, 'id'> },
  stores: TransactionStores,
  now: Date,
): Promise<Account | undefined> {
  requireRecentPerson(authority, now)
  // Lock first: a request that grants it a role either came first, or waits for this transaction.
  const locked = await stores.accounts.lock(account.id)
  await requireMayManage({ authority, account }, stores, now)
  return locked
}
