/** A new password through a one-time link: see `accounts/one-time-links/reset-link.ts`. */
import { findLink } from '../../accounts/one-time-links/link.ts'
import { type UseResetLinkInput, useResetLink } from '../../accounts/one-time-links/reset-link.ts'
import type { IdentityDependencies } from '../dependencies.ts'

/** Whom a link is for; undefined when it does not work (any more). */
export async function resetUsername(secret: string, deps: IdentityDependencies): Promise<string | undefined> {
  return (await findLink(secret, 'password', deps))?.account.username
}

/** Throws a 401 when the link does not work (any more), `invalid-field` when the password breaks its rule. */
export async function resetPassword(input: UseResetLinkInput, deps: IdentityDependencies): Promise<void> {
  await useResetLink(input, deps)
}
