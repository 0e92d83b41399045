/** An account as the rest of the service sees it. Only the store and `verify-password` see the password's hash. */
import type { AccountId, Username } from '@ratafia/api'
import { stateConflict, unauthorized } from '../errors.ts'

export interface Account {
  readonly id: AccountId
  readonly username: Username
  /** Empty for an account made by a first login: an external identity service does not give an address. */
  readonly email: string
  readonly name: string
  readonly hasPassword: boolean
  readonly disabledAt: Date | undefined
  /** Since when programs may not log in with its password; the pages take it all the same. Undefined: they may. */
  readonly passwordLoginsOffAt: Date | undefined
  /** Since when it gets no reminders by mail of what ends soon (`reminders/`). Undefined: it gets them. */
  readonly remindersOffAt: Date | undefined
  /** When its logins were last ended (`ended-logins/`): earlier ones open nothing. Undefined: never. */
  readonly loginsSince: Date | undefined
  /** From then on it is nobody's, and disabled for good (`removal/`). */
  readonly removedAt?: Date
  readonly createdAt: Date
}

/**
 * Throws `macaroon-authorization-required` when the account is disabled or removed: its logins and tokens stop at once.
 */
export function requireEnabled(account: Account): Account {
  if (account.disabledAt === undefined) return account
  if (account.removedAt) {
    const at = account.removedAt.toISOString()
    throw unauthorized(`The account of this login was removed at ${at}, for good. Log in with another one.`)
  }
  const since = account.disabledAt.toISOString()
  throw unauthorized(
    `The account "${account.username}" has been disabled since ${since}. Ask the operator of this store to enable it.`,
  )
}

/** For whatever gives an account something. Throws `state-conflict`. */
export function requireNotRemoved(account: Account): Account {
  if (!account.removedAt) return account
  throw stateConflict(
    `The account "${account.username}" was removed at ${account.removedAt.toISOString()}, for good. Add another one.`,
    { status: 'removed' },
  )
}
