/** Gives an account a second factor that is in force at once: the operator hands its owner the secret. */
import { invalidField } from '../../errors.ts'
import type { SignInSessionStore } from '../../identity/logins/sign-in-session-store.ts'
import { type Account, requireNotRemoved } from '../account.ts'
import { findAccount } from '../find.ts'
import {
  type NewSecondFactor,
  newTotp,
  replaceRecoveryCodes,
  type SecondFactorDeps,
  shownTotp,
} from './second-factor.ts'

export interface EnableInput {
  readonly account: string
  /** What an authenticator calls this service. */
  readonly issuer: string
  /** Whether the account has one already, which then ends. */
  readonly instead: boolean
}

/**
 * Signs the account out of every browser and ends its unused logins, which took no code. Throws `invalid-field` when
 * there is no such account, or it has a second factor and none is to be replaced, or the other way round.
 */
export async function enableSecondFactor(
  { account: nameOrId, issuer, instead }: EnableInput,
  deps: SecondFactorDeps & { readonly signInSessions: Pick<SignInSessionStore, 'removeAllOf'> },
): Promise<NewSecondFactor & { readonly account: Account }> {
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
  const { factor, secret } = newTotp(account.id, true, deps)
  const recoveryCodes = await deps.change(async (on) => {
    if (!(await on.accounts.keep(account.id))) throw refused(account, 'was just removed.')
    if (instead && !(await on.secondFactors.removeAllOf(account.id))) throw hasNone(account)
    await on.secondFactors.removeUnconfirmed(account.id)
    if (!(await on.secondFactors.insert(factor))) {
      throw refused(account, 'has a second factor already. `ratafia accounts totp reset` replaces it.')
    }
    const now = deps.clock()
    const codes = await replaceRecoveryCodes(account.id, on, now)
    await on.accounts.endLogins(account.id, now)
    const action = instead ? 'second-factor.reset' : 'second-factor.enable'
    await on.record({ action, subject: account.username, details: { kind: factor.kind } })
    return codes
  })
  // After the change is stored: whoever is signing in right now looks at the second factors once more.
  await deps.signInSessions.removeAllOf(account.id)
  return { account, recoveryCodes, ...shownTotp(secret, issuer, account) }
}

export const hasNone = (account: Account) =>
  refused(account, 'has no second factor. `ratafia accounts totp enable` gives it one.')

const refused = ({ username }: Account, what: string) =>
  invalidField(`The account "${username}" ${what}`, { field: 'account' })
