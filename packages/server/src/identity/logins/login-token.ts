/**
 * The proof of an approved login in a browser. A client gets it after the approval, and discharges one caveat with it.
 */
import { timingSafeEqual } from 'node:crypto'
import { requireEnabled } from '../../accounts/account.ts'
import { endedSince } from '../../accounts/ended-logins/login-mark.ts'
import { unauthorized } from '../../errors.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { LoggedIn } from '../discharge/interaction.ts'
import { openFor, type Sealed, sealFor, toBytes } from './sealed-texts.ts'

export const LOGIN_TOKEN_KIND = 'login'

/** How long a client can discharge with it. */
export const LOGIN_TOKEN_MS = 5 * 60_000

/** Returns the token in printable ASCII. */
export const sealLoginToken = (
  content: Sealed<'login-token'>,
  keyring: IdentityDependencies['keyring'],
): Promise<string> => sealFor('login-token', content, keyring)

/** Returns the login that the token proves. Throws a 401 for a token that is not valid for this caveat. */
export async function redeemLoginToken(
  token: Uint8Array,
  caveat: Uint8Array,
  { keyring, accounts, clock }: IdentityDependencies,
): Promise<LoggedIn> {
  const content = await openFor('login-token', Buffer.from(token).toString('latin1'), keyring)
  const expected = content && toBytes(content.caveat)
  if (!content || expected?.length !== caveat.length || !timingSafeEqual(expected, caveat)) {
    throw unauthorized('The login token is not for this caveat. Log in again.')
  }
  if (clock().getTime() >= content.expires) {
    throw unauthorized('The login token has expired. Log in again.')
  }
  const account = await accounts.findById(content.account)
  if (!account) throw unauthorized('The account of this login no longer exists.')
  requireEnabled(account)
  if (endedSince(content.seen, account)) {
    throw unauthorized(
      'The logins of the account were invalidated after this one was approved. Log in again.',
    )
  }
  return { account, signIn: { kind: 'person', at: new Date(content.signedInAt) }, limits: [] }
}
