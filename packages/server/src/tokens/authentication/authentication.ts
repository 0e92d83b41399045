/** What authentication finds out about a request, and where it may be found again. */
import type { Account } from '../../accounts/account.ts'
import type { Cleared } from './clear.ts'

/** Who asks, and what they may do. Many are remembered: with a `Date` each would take 100 bytes more. */
export interface Authentication extends Pick<Cleared, 'sessionId' | 'attenuations'> {
  readonly account: Account
  /** As `whoami` says it: ISO 8601 in UTC without a zone, because snapcraft appends the Z itself. */
  readonly expires: string
  /** When it has to be verified again, in milliseconds: the same, or the earlier end of a discharge that is refreshed. */
  readonly until: number
  /** When the password was given, in milliseconds; only of a login with one. */
  readonly givenAt?: number
}

export interface RememberedLogins {
  /** Undefined if these headers have to be verified. */
  find(digest: string): Authentication | undefined
  /** Remembers what `verify` finds; only for headers with a single slice, whose meaning nothing else can change. */
  remember(digest: string, verify: () => Promise<Authentication>): Promise<Authentication>
}
