import { accountActor } from '../../change.ts'
import { unauthorized } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Account } from '../account.ts'
import type { NamedAccount } from '../administration/show-account.ts'
import { seenBy } from '../ended-logins/login-mark.ts'
import { chosenPasswordBytes } from '../passwords/password.ts'
import { storePassword } from '../passwords/set-password.ts'
import { findLink, isOpenTo, type MadeLink, makeLink } from './link.ts'

/** Creates a set-password link. Throws as {@link makeLink} does. */
export const makeResetLink = (
  wanted: NamedAccount & { readonly lifetimeMs: number },
  stores: Stores,
): Promise<MadeLink> => makeLink({ ...wanted, purpose: 'password' }, stores)

export interface UseResetLinkInput {
  readonly secret: string
  readonly password: string
  /** The browser's address. */
  readonly address: string
}

/**
 * Sets the password as `setPassword` does. Of two simultaneous uses, one sets its password. Throws a 401 if
 * the link does not work (any more), and `invalid-field` if the password breaks its rule.
 */
export async function useResetLink(
  { secret, password, address }: UseResetLinkInput,
  stores: Stores,
): Promise<Account> {
  const link = await findLink(secret, 'password', stores)
  if (!link) throw linkIsOver()
  const { account, secretHash } = link
  const passwordHash = await stores.passwords.hash(chosenPasswordBytes(password))
  const change = stores.changeBy({ actor: accountActor(account.username), source: address })
  const changed = await change(async (on) => {
    const stored = await storePassword(
      { account, passwordHash, link: secretHash, by: account.username },
      on,
      stores.clock(),
    )
    // While the password was hashed, the account may have been disabled, or its logins invalidated.
    if (!stored || !isOpenTo(stored.before, seenBy(account))) throw linkIsOver()
    await on.record({ action: 'account.reset-password', subject: account.username })
    return stored.after
  })
  await stores.signInSessions.removeAllOf(account.id)
  return changed
}

const linkIsOver = () =>
  unauthorized('This link has expired or was used already. Ask the operator of this service for another one.')
