/** Finds out whether a user has signed in from a network before, so that strangers elsewhere cannot lock them out. */
import { type AccountId, isUsername } from '@ratafia/api'
import { isEmail } from '../../accounts/account-fields.ts'
import { findByLoginName } from '../../accounts/passwords/verify-password.ts'
import { networksOf } from '../../addresses/address.ts'
import type { TransactionStores } from '../../stores.ts'

/** The number of sign-ins examined, newest first. */
const LOOKED_AT = 100

export interface SignInAttempt {
  /** A username or e-mail address in the stored spelling. It can be any string. */
  readonly name: string
  readonly address: string
  /** The account whose codes are tried; undefined for a password. */
  readonly codesOf?: AccountId | undefined
}

/** A username that no account can have. */
const NO_USERNAME = ''

/**
 * Whether the user has signed in from this network, as far back as the audit log reaches. The addresses of an
 * IPv6 /64 count as one. The number of database queries does not depend on whether an account has the name.
 */
export async function signedInBefore(
  { name, address }: SignInAttempt,
  stores: TransactionStores,
): Promise<boolean> {
  // Other strings are not looked up, because the database refuses some of them.
  if (!isUsername(name) && !isEmail(name)) return false
  const username = isUsername(name) ? name : await usernameOf(name, stores)
  const [here] = networksOf(address)
  const signIns = await stores.audit.list(
    { action: 'account.sign-in', subject: username },
    { limit: LOOKED_AT },
  )
  return signIns.some(({ source }) => networksOf(source)[0] === here)
}

async function usernameOf(email: string, stores: TransactionStores): Promise<string> {
  return (await findByLoginName(email, stores))?.account.username ?? NO_USERNAME
}
