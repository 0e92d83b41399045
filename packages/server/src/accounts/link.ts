/** Tells that somebody of an external identity service is an account here (for `RATAFIA_ACCOUNTS=known`). */
import type { Clock } from '../clock.ts'
import { RequestError } from '../errors.ts'
import type { Account } from './account.ts'
import type { AccountStore, ExternalIdentity } from './account-store.ts'
import { findAccount } from './find.ts'
import { checkIdentity } from './resolve-identity.ts'

/**
 * Does nothing when the identity is this account's already. Throws `invalid-field`: no such account, an impossible
 * issuer or subject, or the identity belongs to another account.
 */
export async function linkIdentity(
  { account: nameOrId, ...unchecked }: ExternalIdentity & { readonly account: string },
  deps: { readonly accounts: AccountStore; readonly clock: Clock },
): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const identity = checkIdentity(unchecked)
  if (await deps.accounts.insertIdentity(identity, account.id, deps.clock())) return account
  const owner = await deps.accounts.findByIdentity(identity)
  if (owner?.id === account.id) return account
  throw new RequestError(
    'invalid-field',
    `This identity belongs to the account "${owner?.username ?? 'unknown'}" already. One identity is one account.`,
    { extra: { field: 'subject' } },
  )
}
