/** Changes the password of an account for its owner, who has just entered the old one. */
import type { AuthoredStores } from '../../change.ts'
import type { Account } from '../account.ts'
import { chosenPasswordBytes } from './password.ts'
import { storePassword } from './set-password.ts'

export interface ChangePasswordInput {
  readonly account: Account
  /** The hash of the old password, as it was checked. */
  readonly replacing: string
  readonly password: string
}

/**
 * Changes the password, and signs the account out of every browser as `setPassword` does. Returns the account
 * as changed; undefined if another request has changed the password since it was checked. Throws
 * `invalid-field` if the password breaks its rule.
 */
export async function changePassword(
  { account, replacing, password }: ChangePasswordInput,
  { passwords, change, clock, signInSessions }: AuthoredStores,
): Promise<Account | undefined> {
  const passwordHash = await passwords.hash(chosenPasswordBytes(password))
  const changed = await change(async (on) => {
    const stored = await storePassword(
      { account, passwordHash, replacing, by: account.username },
      on,
      clock(),
    )
    if (stored) await on.record({ action: 'account.change-password', subject: account.username })
    return stored?.after
  })
  if (changed) await signInSessions.removeAllOf(account.id)
  return changed
}
