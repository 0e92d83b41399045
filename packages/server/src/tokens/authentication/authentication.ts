/** What authentication finds out about a request, and where it may be found again. */
import type { Account } from '../../accounts/account.ts'
import type { Cleared } from './clear.ts'

/** Who asks, and what they may do. */
export interface Authentication extends Pick<Cleared, 'sessionId' | 'expires' | 'attenuations'> {
  readonly account: Account
  /** `expires` as `whoami` says it: without a zone, because snapcraft appends the Z itself. Each request needs it. */
  readonly expiresText: string
}

export interface RememberedLogins {
  /** Undefined if these headers have to be verified. */
  find(digest: string): Authentication | undefined
  /** Remembers what `verify` finds; only for headers with a single slice, whose meaning nothing else can change. */
  remember(digest: string, verify: () => Promise<Authentication>): Promise<Authentication>
}
