/** A one-time link to a new password, for somebody else: nobody types another's password. */
import { requireForAll, requireRecentPerson } from '../../authority.ts'
import { stateConflict } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { MadeLink } from '../one-time-links/link.ts'
import { makeResetLink } from '../one-time-links/reset-link.ts'
import type { NamedAccount } from './show-account.ts'

const LIFETIME_MS = 24 * 3_600_000

export interface PasswordLinkDeps extends Stores {
  /** Of the bundled identity service, without a trailing slash; undefined where another one is used. */
  readonly identityLocation: string | undefined
}

/**
 * Returns its record. In a dry run it has no address, because there would be nothing behind it. Throws
 * {@link RequestError} as `makeResetLink` does; `state-conflict`, too, where another service has the passwords.
 */
export async function makePasswordLink(
  { dryRun, ...named }: NamedAccount & { readonly dryRun: boolean },
  deps: PasswordLinkDeps,
) {
  requireForAll(named.authority, 'accounts:manage')
  requireRecentPerson(named.authority, deps.clock())
  if (deps.identityLocation === undefined) {
    throw stateConflict('Another identity service has the passwords of this service: set a new one there.')
  }
  const made = await makeResetLink({ ...named, lifetimeMs: LIFETIME_MS }, deps)
  return passwordLinkRecord(made, dryRun ? undefined : deps.identityLocation)
}

/** As the API and `--json` show it. `location`: of the identity service, without a trailing slash. */
export const passwordLinkRecord = (
  { account, secret, expiresAt }: MadeLink,
  location: string | undefined,
) => ({
  username: account.username,
  url: location === undefined ? null : `${location}/reset?secret=${secret}`,
  expires_at: expiresAt.toISOString(),
})
