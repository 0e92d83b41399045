/** Who may change an account (contract/administration.md, B10 and B13). */
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import { requireMayActOn } from '../../grants/may-act-on.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'

/**
 * They hold every role that the account has; if it has any, they are a person who signed in a short while ago. Throws
 * {@link RequestError}: `permission-denied`, `person-required`, `recent-sign-in-required`.
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
 * The same for what makes another way in as somebody: a password, a factor, an identity, an agent. Only people do it, who
 * signed in a short while ago (B11). In the transaction of the change: returns the account, locked, or undefined when
 * there is none. Throws as {@link requireMayManage}.
 */
export async function requireMayLetIn(
  { authority, account }: { readonly authority: Authority; readonly account: Pick<Account, 'id'> },
  stores: TransactionStores,
  now: Date,
): Promise<Account | undefined> {
  requireRecentPerson(authority, now)
  // First: whoever gives it a role waits for this, or was first.
  const locked = await stores.accounts.lock(account.id)
  await requireMayManage({ authority, account }, stores, now)
  return locked
}
