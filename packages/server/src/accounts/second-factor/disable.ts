/** Takes the second factor from an account, and its recovery codes: a password is enough from then on. */
import type { Account } from '../account.ts'
import { findAccount } from '../find.ts'
import { hasNone } from './enable.ts'
import type { SecondFactorDeps } from './second-factor.ts'

/** Throws `invalid-field` when there is no such account, or it has none. */
export async function disableSecondFactor(
  nameOrId: string,
  deps: Pick<SecondFactorDeps, 'accounts' | 'change'>,
): Promise<Account> {
  const account = await findAccount(nameOrId, deps)
  await deps.change(async ({ secondFactors, record }) => {
    if (!(await secondFactors.removeAllOf(account.id))) throw hasNone(account)
    await record({ action: 'second-factor.disable', subject: account.username })
  })
  return account
}
