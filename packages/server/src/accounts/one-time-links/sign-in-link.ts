/**
 * Links that sign a browser in when no other sign-in works, because the password is forgotten, the second factor is
 * lost or the provider is unavailable (contract/administration.md, B15). Only commands on the database create them.
 */
import type { DirectAuthority } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import { type MadeLink, makeLink } from './link.ts'

/** Short, because the operator who creates a link uses it at once. */
const LIFETIME_MS = 10 * 60_000

/** Creates a link, and removes every earlier one-time link of the account. Throws as {@link makeLink} does. */
export const makeSignInLink = (
  wanted: { readonly account: string; readonly authority: DirectAuthority },
  stores: Stores,
): Promise<MadeLink> => makeLink({ ...wanted, purpose: 'sign-in', lifetimeMs: LIFETIME_MS }, stores)

/** Returns the record that `--json` shows. `location` is the identity service's URL, without a trailing slash. */
export const signInLinkRecord = ({ account, secret, expiresAt }: MadeLink, location: string) => ({
  username: account.username,
  url: `${location}/sign-in-link?secret=${secret}`,
  expires_at: expiresAt.toISOString(),
})
