/** Creates one-time set-password links, so that operators never type another user's password. */
import { requireForAll, requireRecentPerson } from '../../authority.ts'
import { stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { MadeLink } from '../one-time-links/link.ts'
import { makeResetLink } from '../one-time-links/reset-link.ts'
import type { NamedAccount } from './show-account.ts'

const LIFETIME_MS = 24 * 3_600_000

export interface PasswordLinkDeps extends Stores {
  /** The URL of the bundled identity service, without a trailing slash; undefined if another one is used. */
  readonly identityLocation: string | undefined
}

/**
 * Returns the link's record. In a dry run it has no URL, because the link would not work. Throws {@link
 * RequestError} as `makeResetLink` does, and `state-conflict` if another service manages the passwords.
 */
export async function makePasswordLink(
  { dryRun, ...named }: NamedAccount & { readonly dryRun: boolean },
  deps: PasswordLinkDeps,
) {
  requireForAll(named.authority, 'accounts:manage')
  requireRecentPerson(named.authority, deps.clock())
  if (deps.identityLocation === undefined) {
    throw stateConflict('Another identity service manages the passwords. Set a new one there.')
  }
  const made = await makeResetLink({ ...named, lifetimeMs: LIFETIME_MS }, deps)
  return passwordLinkRecord(made, dryRun ? undefined : deps.identityLocation)
}

/**
 * Returns the record that the API and `--json` show. `location` is the identity service's URL, without a final slash.
 */
export const passwordLinkRecord = (
  { account, secret, expiresAt }: MadeLink,
  location: string | undefined,
) => ({
  username: account.username,
  url: location === undefined ? null : `${location}/reset?secret=${secret}`,
  expires_at: expiresAt.toISOString(),
})
