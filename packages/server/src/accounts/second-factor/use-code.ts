/**
 * Checks a code of a second factor, or a recovery code instead. A database constraint ensures that each is
 * accepted once. A code is refused after the code of a later step was used.
 */
import type { AuthoredStores } from '../../change.ts'
import type { Account } from '../account.ts'
import { bareCode, recoveryCodeHash } from './recovery-code.ts'
import { confirmedFactors, openTotp } from './second-factor.ts'
import type { SecondFactor } from './second-factor-store.ts'
import { isTimeCode, stepOfCode } from './totp.ts'

/** Longer than any code with the separators that people type. */
const MAX_TYPED = 64

/**
 * Uses the code, as typed. Returns false for a wrong code and for one that was used, even by a simultaneous request.
 * The use of a recovery code gets an entry in the audit log. Throws `Unavailable` if the code could not be checked.
 */
export async function useCode(
  { account, code }: { readonly account: Account; readonly code: string },
  stores: AuthoredStores,
): Promise<boolean> {
  if (code.length > MAX_TYPED) return false
  const digits = bareCode(code)
  if (isTimeCode(digits)) {
    const factors = await confirmedFactors(account.id, stores)
    const factor = factors.find(({ kind }) => kind === 'totp')
    return factor !== undefined && useTimeCode(factor, digits, stores)
  }
  const hash = recoveryCodeHash(account.id, code)
  if (!hash) return false
  return stores.change(async ({ secondFactors, record }) => {
    if (!(await secondFactors.useRecoveryCode(account.id, hash))) return false
    const left = await secondFactors.recoveryCodesLeft(account.id)
    await record({ action: 'second-factor.use-recovery-code', subject: account.username, details: { left } })
    return true
  })
}

/** Uses a code of a second factor, which may be unconfirmed. */
export async function useTimeCode(
  factor: SecondFactor,
  code: string,
  stores: AuthoredStores,
): Promise<boolean> {
  const now = stores.clock()
  const step = stepOfCode(openTotp(factor, stores), bareCode(code), now)
  return step !== undefined && stores.secondFactors.useStep(factor.accountId, step, now)
}
