/** An account, without its password's hash, which only the store and `verify-password` see. */
import type { AccountId, Username } from '@ratafia/api'
import { stateConflict, unauthorized } from '../errors.ts'

export interface Account {
  readonly id: AccountId
  readonly username: Username
  /**
   * Empty for an account created by a first login, because an external identity service does not declare an address.
   */
  readonly email: string
  readonly name: string
  readonly hasPassword: boolean
  readonly disabledAt: Date | undefined
  /** Since when programs may not log in with its password, which the pages still accept. Undefined if they may. */
  readonly passwordLoginsOffAt: Date | undefined
  /** When reminders about credentials that expire soon were switched off (`reminders/`). Undefined if they are on. */
  readonly remindersOffAt: Date | undefined
  /** When its logins were last invalidated (`ended-logins/`): earlier ones open nothing. Undefined if never. */
  readonly loginsSince: Date | undefined
  /** When it was removed: since then it belongs to no person, and is permanently disabled (`removal/`). */
  readonly removedAt?: Date
  readonly createdAt: Date
}

/** The fields that have no value in an account that was just created. */
export const NEW_ACCOUNT = {
  ...{ disabledAt: undefined, loginsSince: undefined },
  ...{ passwordLoginsOffAt: undefined, remindersOffAt: undefined },
} as const

/**
 * Throws `macaroon-authorization-required` if the account is disabled or removed: its logins and tokens stop at once.
 */
export function requireEnabled(account: Account): Account {
  if (account.disabledAt === undefined) return account
  if (account.removedAt) {
    const at = account.removedAt.toISOString()
    throw unauthorized(
      `The account of this login was removed at ${at} and cannot be restored. Log in with another one.`,
    )
  }
  const since = account.disabledAt.toISOString()
  throw unauthorized(
    `The account "${account.username}" has been disabled since ${since}. Ask the operator of this service to enable it.`,
  )
}

/** Throws `state-conflict` if the account is removed. For every operation that adds something to an account. */
export function requireNotRemoved(account: Account): Account {
  if (!account.removedAt) return account
  throw stateConflict(
    `The account "${account.username}" was removed at ${account.removedAt.toISOString()} and cannot be restored. Add another one.`,
    { status: 'removed' },
  )
}
