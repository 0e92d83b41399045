/** Makes new recovery codes for an account; the earlier ones end. */
import type { AuthoredStores } from '../../change.ts'
import type { Account } from '../account.ts'
import { hasNone } from './enable.ts'
import { confirmedFactors, replaceRecoveryCodes } from './second-factor.ts'

/** Throws `invalid-field` when the account has no second factor. */
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
