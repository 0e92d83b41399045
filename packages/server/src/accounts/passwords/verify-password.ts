/** Checks the password of whoever gives a username or an e-mail address. It takes equally long whether or not they exist. */
import { isUsername } from '@ratafia/api'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { Account } from '../account.ts'
import { isEmail } from '../account-fields.ts'
import type { WithPassword } from '../account-store.ts'
import { passwordBytes } from './password.ts'

/** `disabled` only for someone who knows the password: anyone else learns nothing about the account. */
export type PasswordVerdict =
  | { readonly verdict: 'disabled'; readonly account: Account }
  | {
      readonly verdict: 'right'
      readonly account: Account
      /** What was compared. */
      readonly passwordHash: string
      /**
       * Whether the verdict still applies, without hashing again: hashing takes long, and meanwhile the password may
       * have changed. Call it after you stored what the password permits, and undo that unless it returns `right`.
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
  // Not even asked about any other text: a database refuses some.
  return isEmail(name) ? accounts.findPasswordByEmail(name) : undefined
}

/** Throws Unavailable when too many passwords are being checked already. */
export async function verifyPassword(
  { found, password }: { readonly found: WithPassword | undefined; readonly password: string },
  { accounts, passwords }: Stores,
): Promise<PasswordVerdict> {
  const bytes = passwordBytes(password)
  // An impossible password is compared with nothing, at the same cost.
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
