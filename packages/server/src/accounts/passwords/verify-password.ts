/** Checks a username and password. It takes equally long whether or not the account exists. */
import { isUsername } from '@ratafia/api'
import type { Account } from '../account.ts'
import type { AccountDeps } from '../account-deps.ts'
import { passwordBytes } from './password.ts'

/** `disabled` only for someone who knows the password: anyone else learns nothing about the account. */
export type PasswordVerdict =
  | { readonly verdict: 'disabled'; readonly account: Account }
  | {
      readonly verdict: 'right'
      readonly account: Account
      /**
       * Whether the verdict still applies, without hashing again: hashing takes long, and meanwhile the password may
       * have changed. Call it after you stored what the password permits, and undo that unless it returns `right`.
       */
      recheck(): Promise<'right' | 'disabled' | 'wrong'>
    }
  | { readonly verdict: 'wrong' }

/** Throws Unavailable when too many passwords are being checked already. */
export async function verifyPassword(
  { username, password }: { readonly username: string; readonly password: string },
  { accounts, passwords }: Pick<AccountDeps, 'accounts' | 'passwords'>,
): Promise<PasswordVerdict> {
  const found = isUsername(username) ? await accounts.findPassword(username) : undefined
  const bytes = passwordBytes(password)
  // An impossible password is compared with nothing, at the same cost.
  const right = await passwords.verify(bytes ?? new Uint8Array(), bytes && found?.passwordHash)
  if (!found || !right) return { verdict: 'wrong' }
  const { account, passwordHash } = found
  if (account.disabledAt) return { verdict: 'disabled', account }
  const recheck = async () => {
    const now = await accounts.findPassword(account.username)
    if (now?.passwordHash !== passwordHash) return 'wrong'
    return now?.account.disabledAt ? 'disabled' : 'right'
  }
  return { verdict: 'right', account, recheck }
}
