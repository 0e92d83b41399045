/** The result of authenticating a request, and the memory that keeps results. */
import type { Account } from '../../accounts/account.ts'
import type { Cleared } from './clear.ts'

/** The caller and their limits. Times are not `Date`s, because many results are remembered and each saves 100 bytes. */
export interface Authentication extends Pick<Cleared, 'sessionId' | 'attenuations'> {
  readonly account: Account
  /** The expiry as `whoami` shows it: ISO 8601 in UTC without a zone, because snapcraft appends the Z itself. */
  readonly expires: string
  /** When it must be verified again, in milliseconds: at `expires`, or earlier when a refreshable discharge expires. */
  readonly until: number
  /** When the password was given, in milliseconds; only for password logins. */
  readonly givenAt?: number
}

export interface RememberedLogins {
  /** Returns the remembered result; undefined if these headers must be verified. */
  find(digest: string): Authentication | undefined
  /** Returns the result of `verify`, and remembers it. Only for headers with one slice, which nothing else affects. */
  remember(digest: string, verify: () => Promise<Authentication>): Promise<Authentication>
}
