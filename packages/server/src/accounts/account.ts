/** An account as the rest of the service sees it. Only the store and `verify-password` see the password's hash. */
import type { AccountId, Username } from '@ratafia/api'
import { unauthorized } from '../errors.ts'

export interface Account {
  readonly id: AccountId
  readonly username: Username
  /** Empty for an account made by a first login: an external identity service does not give an address. */
  readonly email: string
  readonly name: string
  readonly hasPassword: boolean
  readonly disabledAt: Date | undefined
  /** When its logins were last ended (`ended-logins/`): earlier ones open nothing. Undefined: never. */
  readonly loginsSince: Date | undefined
  readonly createdAt: Date
}

/** Throws `macaroon-authorization-required` when the account is disabled: its logins and tokens stop at once. */
export function requireEnabled(account: Account): Account {
  if (account.disabledAt === undefined) return account
  const since = account.disabledAt.toISOString()
  throw unauthorized(
    `The account "${account.username}" has been disabled since ${since}. Ask the operator of this store to enable it.`,
  )
}
