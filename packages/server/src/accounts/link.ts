/** Links an identity of an external identity service to an account here (for `RATAFIA_ACCOUNTS=known`). */
import { requireForAll } from '../authority.ts'
import { invalidField } from '../errors.ts'
import type { Stores } from '../stores.ts'
import { type Account, requireNotRemoved } from './account.ts'
import type { ExternalIdentity } from './account-store.ts'
import { requireMayLetIn } from './administration/may-manage.ts'
import type { NamedAccount } from './administration/show-account.ts'
import { findAccount } from './find.ts'
import { checkIdentity } from './resolve-identity.ts'

/**
 * Links the identity, unless it is linked to this account already. Throws as `requireMayLetIn` does, `no-such-record`,
 * and `invalid-field` for an impossible issuer or subject or an identity that belongs to another account.
 */
export async function linkIdentity(
  { account: nameOrId, authority, ...unchecked }: ExternalIdentity & NamedAccount,
  stores: Stores,
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  const account = requireNotRemoved(await findAccount(nameOrId, stores))
  const identity = checkIdentity(unchecked)
  const linked = await stores.changeBy(authority.author)(async (on) => {
    const { accounts, record } = on
    await requireMayLetIn({ authority, account }, on, stores.clock())
    if (!(await accounts.keep(account.id))) return 'removed'
    const inserted = await accounts.insertIdentity(identity, account.id, stores.clock())
    if (inserted)
      await record({ action: 'account.link', subject: account.username, details: { ...identity } })
    return inserted
  })
  if (linked === 'removed')
    throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
  if (linked) return account
  const owner = await stores.accounts.findByIdentity(identity)
  if (owner?.id === account.id) return account
  throw invalidField(
    `This identity already belongs to the account "${owner?.username ?? 'unknown'}". It can have only one account.`,
    { field: 'subject' },
  )
}
