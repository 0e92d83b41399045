/** Links an identity of an external identity service to an account here (for `RATAFIA_ACCOUNTS=known`). */
import { invalidField } from '../errors.ts'
import { type Account, requireNotRemoved } from './account.ts'
import type { AccountDeps } from './account-deps.ts'
import type { ExternalIdentity } from './account-store.ts'
import { findAccount } from './find.ts'
import { checkIdentity } from './resolve-identity.ts'

/**
 * Does nothing when the identity is linked to this account already. Throws `invalid-field` when there is no such
 * account, the issuer or subject is impossible, or the identity belongs to another account.
 */
export async function linkIdentity(
  { account: nameOrId, ...unchecked }: ExternalIdentity & { readonly account: string },
  deps: Pick<AccountDeps, 'accounts' | 'change' | 'clock'>,
): Promise<Account> {
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
  const identity = checkIdentity(unchecked)
  const linked = await deps.change(async ({ accounts, record }) => {
    if (!(await accounts.keep(account.id))) return 'removed'
    const inserted = await accounts.insertIdentity(identity, account.id, deps.clock())
    if (inserted)
      await record({ action: 'account.link', subject: account.username, details: { ...identity } })
    return inserted
  })
  if (linked === 'removed')
    throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
  if (linked) return account
  const owner = await deps.accounts.findByIdentity(identity)
  if (owner?.id === account.id) return account
  throw invalidField(
    `This identity belongs to the account "${owner?.username ?? 'unknown'}" already. One identity is one account.`,
    { field: 'subject' },
  )
}
