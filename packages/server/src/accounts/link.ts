/** Links an identity of an external identity service to an account here (for `RATAFIA_ACCOUNTS=known`). */
import type { Changing } from '../change.ts'
import type { Clock } from '../clock.ts'
import { invalidField } from '../errors.ts'
import type { Account } from './account.ts'
import type { AccountStore, ExternalIdentity } from './account-store.ts'
import { type AccountFinder, findAccount } from './find.ts'
import { checkIdentity } from './resolve-identity.ts'

interface LinkDeps {
  readonly accounts: AccountFinder & Pick<AccountStore, 'findByIdentity'>
  readonly change: Changing<{ readonly accounts: AccountStore }>
  readonly clock: Clock
}

/**
 * Does nothing when the identity is linked to this account already. Throws `invalid-field` when there is no such
 * account, the issuer or subject is impossible, or the identity belongs to another account.
 */
export async function linkIdentity(
  { account: nameOrId, ...unchecked }: ExternalIdentity & { readonly account: string },
  deps: LinkDeps,
): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  const identity = checkIdentity(unchecked)
  const linked = await deps.change(async ({ accounts, record }) => {
    const inserted = await accounts.insertIdentity(identity, account.id, deps.clock())
    if (inserted)
      await record({ action: 'account.link', subject: account.username, details: { ...identity } })
    return inserted
  })
  if (linked) return account
  const owner = await deps.accounts.findByIdentity(identity)
  if (owner?.id === account.id) return account
  throw invalidField(
    `This identity belongs to the account "${owner?.username ?? 'unknown'}" already. One identity is one account.`,
    { field: 'subject' },
  )
}
