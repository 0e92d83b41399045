/** Changes the password of an account for its owner, who has just given the old one. */
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
 * The account afterwards; undefined when the password was changed by somebody else since it was checked. Signs the
 * account out of every browser, as `setPassword` does. Throws `invalid-field` when the password breaks its rule.
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
