/** Adds a second factor that is required at once to an account. The operator passes the secret to its owner. */
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
  /** The name of this service in authenticators. */
  readonly issuer: string
  /** Whether to replace an existing second factor. */
  readonly instead: boolean
}

/**
 * Adds the second factor. Signs the account out of every browser and invalidates its unused logins, which
 * required no code. Throws as `requireMayLetIn` does, `no-such-record`, and `invalid-field` if it already has
 * a second factor and `instead` is false, or has none and `instead` is true.
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
      throw refused(account, 'already has a second factor. Replace it with `ratafia accounts totp reset`.')
    }
    const now = stores.clock()
    const codes = await replaceRecoveryCodes(account.id, on, now)
    await on.accounts.endLogins(account.id, now)
    await endConsoleSessions({ accountId: account.id, by: authority.by, at: now }, on)
    const action = instead ? 'second-factor.reset' : 'second-factor.enable'
    await on.record({ action, subject: account.username, details: { kind: factor.kind } })
    return codes
  })
  // After the change is stored, because a sign-in in progress checks for second factors once more after its own insert.
  await stores.signInSessions.removeAllOf(account.id)
  return { account, recoveryCodes, ...shownTotp(secret, issuer, account) }
}

export const hasNone = (account: Account) =>
  refused(account, 'has no second factor. Add one with `ratafia accounts totp enable`.')

const refused = ({ username }: Account, what: string) =>
  invalidField(`The account "${username}" ${what}`, { field: 'account' })
