/** One-time links in a browser, to a new password and to a sign-in: see `accounts/one-time-links/`. */
import { findLink, isOpenTo } from '../../accounts/one-time-links/link.ts'
import { type UseResetLinkInput, useResetLink } from '../../accounts/one-time-links/reset-link.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { type SessionOutcome, startSession } from '../logins/browser-session.ts'

/** Whom a link is for; undefined when it does not work (any more). */
export async function resetUsername(secret: string, deps: IdentityDependencies): Promise<string | undefined> {
  return (await findLink(secret, 'password', deps))?.account.username
}

/** Throws a 401 when the link does not work (any more), `invalid-field` when the password breaks its rule. */
export async function resetPassword(input: UseResetLinkInput, deps: IdentityDependencies): Promise<void> {
  await useResetLink(input, deps)
}

/** Whom a link is for; undefined when it does not work (any more). */
export async function signInLinkUsername(
  secret: string,
  deps: IdentityDependencies,
): Promise<string | undefined> {
  return (await findLink(secret, 'sign-in', deps))?.account.username
}

/** Of two uses at once, one signs in. `wrong`: the link does not work (any more). */
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
