/** Gives an account another e-mail address, for whoever has the database. For others there is `editAccount`. */
import { type DirectAuthority, requireForAll } from '../authority.ts'
import type { Changing } from '../change.ts'
import { type Account, requireNotRemoved } from './account.ts'
import { checkEmail } from './account-fields.ts'
import { findAccount } from './find.ts'

/**
 * Throws `no-such-record`; `invalid-field` when the address breaks its rule, or both this account and another one with the
 * address have a password. Works on the schema of the release before, too, which may have no roles to compare.
 */
export async function setEmail(
  {
    account: nameOrId,
    email,
    authority,
  }: { readonly account: string; readonly email: string; readonly authority: DirectAuthority },
  { change }: { readonly change: Changing },
): Promise<Account> {
  requireForAll(authority, 'accounts:manage')
  return change(async ({ accounts, record }) => {
    const account = requireNotRemoved(await findAccount(nameOrId, { accounts }))
    const address = email === account.email ? email : checkEmail(email)
    if (address === account.email) return account
    await accounts.setEmail(account.id, address)
    await record({ action: 'account.set-email', subject: account.username })
    return { ...account, email: address }
  })
}
