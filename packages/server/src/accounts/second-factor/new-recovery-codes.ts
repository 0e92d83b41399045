/** Creates new recovery codes for an account, and removes the earlier ones. */
import type { AuthoredStores } from '../../change.ts'
import type { Account } from '../account.ts'
import { hasNone } from './enable.ts'
import { confirmedFactors, replaceRecoveryCodes } from './second-factor.ts'

/** Returns the new codes. Throws `invalid-field` if the account has no second factor. */
export async function newRecoveryCodesOf(
  account: Account,
  { change, clock }: AuthoredStores,
): Promise<readonly string[]> {
  return change(async (on) => {
    if ((await confirmedFactors(account.id, on)).length === 0) throw hasNone(account)
    const codes = await replaceRecoveryCodes(account.id, on, clock())
    await on.record({ action: 'second-factor.new-recovery-codes', subject: account.username })
    return codes
  })
}
