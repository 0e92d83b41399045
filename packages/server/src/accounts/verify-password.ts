/** Checks a username and password. The answer takes equally long whether the account exists or not. */
import { isUsername } from '@ratafia/api'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { passwordBytes } from './password.ts'
import type { PasswordHasher } from './password-hasher.ts'

/** `disabled` only to somebody who knows the password: everybody else learns nothing about the account. */
export type PasswordVerdict =
  | { readonly verdict: 'disabled'; readonly account: Account }
  | {
      readonly verdict: 'right'
      readonly account: Account
      /**
       * What holds now, without checking again: checking takes long, and a new password may have been set meanwhile.
       * To be asked after what a right password permits was written; it is taken back unless this is `right`.
       */
      recheck(): Promise<'right' | 'disabled' | 'wrong'>
    }
  | { readonly verdict: 'wrong' }

/** Where stored passwords are looked up: what other folders see of the store. */
export type PasswordFinder = Pick<AccountStore, 'findPassword'>

interface VerifyPasswordDeps {
  readonly accounts: PasswordFinder
  readonly passwords: PasswordHasher
}

/** Throws Unavailable when too many passwords are being checked already. */
export async function verifyPassword(
  { username, password }: { readonly username: string; readonly password: string },
  { accounts, passwords }: VerifyPasswordDeps,
): Promise<PasswordVerdict> {
  const found = isUsername(username) ? await accounts.findPassword(username) : undefined
  const bytes = passwordBytes(password)
  // An impossible password is compared with nothing, at the same price.
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
