/** Finds one account by what an operator calls it, or by its id for another operation. */
import { type AccountId, isAccountId, isUsername } from '@ratafia/api'
import { RequestError, unauthorized } from '../errors.ts'
import { type Account, requireEnabled } from './account.ts'
import type { AccountStore } from './account-store.ts'

/** Where accounts are looked up: what other folders see of the store. */
export type AccountFinder = Pick<AccountStore, 'findById' | 'findByUsername'>

interface FindAccountDeps {
  readonly accounts: AccountFinder
}

/** By username or by account id: their lengths never meet. Throws `invalid-field` when there is none. */
export async function findAccount(nameOrId: string, { accounts }: FindAccountDeps): Promise<Account> {
  const account = isUsername(nameOrId)
    ? await accounts.findByUsername(nameOrId)
    : isAccountId(nameOrId)
      ? await accounts.findById(nameOrId)
      : undefined
  if (account) return account
  throw new RequestError('invalid-field', `There is no account ${JSON.stringify(nameOrId.slice(0, 64))}.`, {
    extra: { field: 'account' },
  })
}

/**
 * The account that a credential names. Throws `macaroon-authorization-required` when it is disabled or gone: the
 * credential was good once.
 */
export async function enabledAccount(id: AccountId, { accounts }: FindAccountDeps): Promise<Account> {
  const account = await accounts.findById(id)
  if (!account) throw unauthorized('The account this was issued to does not exist any more.')
  return requireEnabled(account)
}
