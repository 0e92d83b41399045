/** Removes the second factor of an account and its recovery codes. From then on a password is enough. */
import { requireForAll } from '../../authority.ts'
import type { Changing, Recording } from '../../change.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { requireMayLetIn } from '../administration/may-manage.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { findAccount } from '../find.ts'
import { hasNone } from './enable.ts'

/**
 * Removes it for an operator. Throws as `requireMayLetIn` does, `no-such-record`, and `invalid-field` if it has none.
 */
export async function disableSecondFactor(
  { account: nameOrId, authority }: NamedAccount,
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = await findAccount(nameOrId, stores)
  await stores.changeBy(authority.author)(async (on) => {
    await requireMayLetIn({ authority, account }, on, stores.clock())
    await take(account, on)
  })
  return account
}

/** Removes it for the account's authenticated owner. Throws `invalid-field` if it has none. */
export const disableOwnFactor = (
  account: Account,
  { change }: { readonly change: Changing },
): Promise<void> => change((on) => take(account, on))

async function take(
  account: Account,
  { secondFactors, record }: TransactionStores & Recording,
): Promise<void> {
  if (!(await secondFactors.removeAllOf(account.id))) throw hasNone(account)
  await record({ action: 'second-factor.disable', subject: account.username })
}
