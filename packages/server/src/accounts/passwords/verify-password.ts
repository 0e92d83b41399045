/** Checks a password for a username or e-mail address. It takes the same time whether or not the account exists. */
import { isUsername } from '@ratafia/api'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { isEmail } from '../account-fields.ts'
import type { WithPassword } from '../account-store.ts'
import { passwordBytes } from './password.ts'

/**
 * The result of a check. Only callers who know the password get `disabled`; all others learn nothing about the account.
 */
export type PasswordVerdict =
  | { readonly verdict: 'disabled'; readonly account: Account }
  | {
      readonly verdict: 'right'
      readonly account: Account
      /** The hash that was compared. */
      readonly passwordHash: string
      /**
       * Checks again, without hashing, because the password may have changed during the slow hashing. Call it
       * after you stored what the password permits, and undo that unless it returns `right`.
       */
      recheck(): Promise<'right' | 'disabled' | 'wrong'>
    }
  | { readonly verdict: 'wrong' }

/** Returns the account that logs in with this username or e-mail address, in the spelling of `loginName`. */
export async function findByLoginName(
  name: string,
  { accounts }: TransactionStores,
): Promise<WithPassword | undefined> {
  if (isUsername(name)) return accounts.findPassword(name)
  // The database is not asked about any other text, because it refuses some.
  return isEmail(name) ? accounts.findPasswordByEmail(name) : undefined
}

/** Checks the password of a found account. Throws `Unavailable` if too many passwords are being checked already. */
export async function verifyPassword(
  { found, password }: { readonly found: WithPassword | undefined; readonly password: string },
  { accounts, passwords }: Stores,
): Promise<PasswordVerdict> {
  const bytes = passwordBytes(password)
  // An impossible password is compared with a dummy hash, at the same cost.
  const right = await passwords.verify(bytes ?? new Uint8Array(), bytes && found?.passwordHash)
  if (!right || found?.passwordHash === undefined) return { verdict: 'wrong' }
  const { account, passwordHash } = found
  if (account.disabledAt) return { verdict: 'disabled', account }
  const recheck = async () => {
    const now = await accounts.findPassword(account.username)
    if (now?.passwordHash !== passwordHash) return 'wrong'
    return now?.account.disabledAt ? 'disabled' : 'right'
  }
  return { verdict: 'right', account, passwordHash, recheck }
}
