/** Gives an account a second factor that is in force at once: the operator hands its owner the secret. */
import { requireForAll } from '../../authority.ts'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { type Account, requireNotRemoved } from '../account.ts'
import { requireMayLetIn } from '../administration/may-manage.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { endConsoleSessions } from '../ended-logins/end-console-sessions.ts'
import { findAccount } from '../find.ts'
import { type NewSecondFactor, newTotp, replaceRecoveryCodes, shownTotp } from './second-factor.ts'

export interface EnableInput extends NamedAccount {
  /** What an authenticator calls this service. */
  readonly issuer: string
  /** Whether the account has one already, which then ends. */
  readonly instead: boolean
}

/**
 * Signs the account out of every browser and ends its unused logins, which took no code. Throws as `requireMayLetIn`;
 * `no-such-record`; `invalid-field` when it has a second factor and none is to be replaced, or the other way round.
 */
export async function enableSecondFactor(
  { account: nameOrId, issuer, instead, authority }: EnableInput,
  stores: Stores,
): Promise<NewSecondFactor & { readonly account: Account }> {
  requireForAll(authority, 'accounts:manage')
  const account = requireNotRemoved(await findAccount(nameOrId, stores))
  const { factor, secret } = newTotp(account.id, true, stores)
  const recoveryCodes = await stores.changeBy(authority.author)(async (on) => {
    await requireMayLetIn({ authority, account }, on, stores.clock())
    if (!(await on.accounts.keep(account.id))) throw refused(account, 'was just removed.')
    if (instead && !(await on.secondFactors.removeAllOf(account.id))) throw hasNone(account)
    await on.secondFactors.removeUnconfirmed(account.id)
    if (!(await on.secondFactors.insert(factor))) {
      throw refused(account, 'has a second factor already. `ratafia accounts totp reset` replaces it.')
    }
    const now = stores.clock()
    const codes = await replaceRecoveryCodes(account.id, on, now)
    await on.accounts.endLogins(account.id, now)
    await endConsoleSessions({ accountId: account.id, by: authority.by, at: now }, on)
    const action = instead ? 'second-factor.reset' : 'second-factor.enable'
    await on.record({ action, subject: account.username, details: { kind: factor.kind } })
    return codes
  })
  // After the change is stored: whoever is signing in right now looks at the second factors once more.
  await stores.signInSessions.removeAllOf(account.id)
  return { account, recoveryCodes, ...shownTotp(secret, issuer, account) }
}

export const hasNone = (account: Account) =>
  refused(account, 'has no second factor. `ratafia accounts totp enable` gives it one.')

const refused = ({ username }: Account, what: string) =>
  invalidField(`The account "${username}" ${what}`, { field: 'account' })
