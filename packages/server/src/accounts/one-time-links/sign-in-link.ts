/**
 * Links that sign a browser in, for when nobody can sign in otherwise: the password is forgotten, the second factor
 * lost, the provider away (contract/administration.md, B15). Only commands on the database make them.
 */
import type { DirectAuthority } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import { type MadeLink, makeLink } from './link.ts'

/** Whoever asked for it uses it at once. */
const LIFETIME_MS = 10 * 60_000

/** It ends every earlier one-time link of the account, of both purposes. Throws as {@link makeLink} does. */
export const makeSignInLink = (
  wanted: { readonly account: string; readonly authority: DirectAuthority },
  stores: Stores,
): Promise<MadeLink> => makeLink({ ...wanted, purpose: 'sign-in', lifetimeMs: LIFETIME_MS }, stores)

/** As `--json` shows it. `location`: of the identity service, without a trailing slash. */
export const signInLinkRecord = ({ account, secret, expiresAt }: MadeLink, location: string) => ({
  username: account.username,
  url: `${location}/sign-in-link?secret=${secret}`,
  expires_at: expiresAt.toISOString(),
})
