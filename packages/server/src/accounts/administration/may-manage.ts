/** Who may change an account (contract/administration.md, B10 and B13). */
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import type { GrantStore } from '../../management/grants/grant-store.ts'
import { requireMayActOn } from '../../management/grants/may-act-on.ts'
import type { Account } from '../account.ts'

/**
 * They hold every role that the account has; if it has any, they are a person who signed in a short while ago. Throws
 * {@link RequestError}: `permission-denied`, `person-required`, `recent-sign-in-required`.
 */
export async function requireMayManage(
  { authority, account }: { readonly authority: Authority; readonly account: Pick<Account, 'id'> },
  { grants }: { readonly grants: Pick<GrantStore, 'heldBy'> },
  now: Date,
): Promise<void> {
  requireForAll(authority, 'accounts:manage')
  const { holdsAny } = await requireMayActOn({ authority, accountId: account.id }, { grants }, now)
  if (holdsAny) requireRecentPerson(authority, now)
}
