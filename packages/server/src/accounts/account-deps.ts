/** What operations on accounts work with; each takes its part. */
import type { Changing } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { AccountStore } from './account-store.ts'
import type { SignInSessionStore } from './browsers/sign-in-session-store.ts'
import type { InSessions } from './ended-logins/end-console-sessions.ts'
import type { OneTimeLinkStore } from './one-time-links/link-store.ts'
import type { PasswordHasher } from './passwords/password-hasher.ts'

export interface AccountDeps {
  readonly accounts: AccountStore
  readonly passwords: PasswordHasher
  readonly signInSessions: Pick<SignInSessionStore, 'removeAllOf'>
  readonly change: Changing
  readonly clock: Clock
}

/** What a new password changes in one transaction. */
export interface InPasswords extends InSessions {
  readonly accounts: AccountStore
  readonly oneTimeLinks: OneTimeLinkStore
}

/** What sets a password works with: it ends the links to a new one. */
export interface PasswordDeps extends Omit<AccountDeps, 'change'> {
  readonly change: Changing
}
