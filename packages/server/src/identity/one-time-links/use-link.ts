/** Uses one-time links in a browser, to set a password or to sign in (`accounts/one-time-links/`). */
import { findLink, isOpenTo, type LinkPurpose } from '../../accounts/one-time-links/link.ts'
import { type UseResetLinkInput, useResetLink } from '../../accounts/one-time-links/reset-link.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { type SessionOutcome, startSession } from '../logins/browser-session.ts'

/** Returns the username that a link is for; undefined if it does not work (any more). */
export const linkUsername = async (
  secret: string,
  purpose: LinkPurpose,
  deps: IdentityDependencies,
): Promise<string | undefined> => (await findLink(secret, purpose, deps))?.account.username

/**
 * Sets the password. Throws a 401 if the link does not work (any more), and `invalid-field` for an invalid password.
 */
export async function resetPassword(input: UseResetLinkInput, deps: IdentityDependencies): Promise<void> {
  await useResetLink(input, deps)
}

/** Signs in; `wrong` if the link does not work (any more). Of two simultaneous uses, one signs in. */
export async function signInByLink(
  {
    secret,
    address,
    userAgent,
  }: { readonly secret: string; readonly address: string; readonly userAgent?: string | undefined },
  deps: IdentityDependencies,
): Promise<SessionOutcome> {
  const link = await findLink(secret, 'sign-in', deps)
  if (!link) return { outcome: 'wrong' }
  const { account, seen, secretHash } = link
  const recheck = async () => {
    const now = await deps.accounts.findById(account.id)
    return now && isOpenTo(now, seen) ? 'right' : 'wrong'
  }
  return startSession({ account, seen, address, userAgent, link: secretHash, recheck }, deps)
}
