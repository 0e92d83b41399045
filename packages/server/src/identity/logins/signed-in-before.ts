/** Whether the user has signed in from this network before: strangers who guess elsewhere cannot lock them out. */
import { type AccountId, isUsername } from '@ratafia/api'
import { isEmail } from '../../accounts/account-fields.ts'
import { findByLoginName } from '../../accounts/passwords/verify-password.ts'
import { networksOf } from '../../addresses/address.ts'
import type { TransactionStores } from '../../stores.ts'

/** How many sign-ins it examines, newest first. */
const LOOKED_AT = 100

export interface SignInAttempt {
  /** A username or an e-mail address, in the spelling that is stored: any text. */
  readonly name: string
  readonly address: string
  /** The account whose codes are tried; undefined for a password. */
  readonly codesOf?: AccountId | undefined
}

/** A username that no account can have. */
const NOBODY = ''

/**
 * Goes back as far as the audit log. The addresses of an IPv6 /64 count as one. It asks the database equally often
 * whether or not an account has the name.
 */
export async function signedInBefore(
  { name, address }: SignInAttempt,
  stores: TransactionStores,
): Promise<boolean> {
  // Asks nothing about other texts: a database refuses some.
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
  return (await findByLoginName(email, stores))?.account.username ?? NOBODY
}
