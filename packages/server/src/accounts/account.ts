/** An account as the rest of the service sees it. The password's hash never leaves the store and `verify-password`. */
import type { AccountId, Username } from '@ratafia/api'
import { unauthorized } from '../errors.ts'

export interface Account {
  readonly id: AccountId
  readonly username: Username
  /** Empty for an account made by a first login through an external identity service, which tells no address. */
  readonly email: string
  readonly name: string
  readonly hasPassword: boolean
  readonly disabledAt: Date | undefined
  readonly createdAt: Date
}

/** Throws `macaroon-authorization-required` when the account is disabled: everything it has stops working at once. */
export function requireEnabled(account: Account): Account {
  if (account.disabledAt === undefined) return account
  const since = account.disabledAt.toISOString()
  throw unauthorized(
    `The account "${account.username}" is disabled since ${since}. Ask the operator of this store to enable it.`,
  )
}
