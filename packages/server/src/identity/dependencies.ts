/** What the identity service's operations work with; each takes the part it needs. */
import type { AccountFinder } from '../accounts/find.ts'
import type { PasswordHasher } from '../accounts/password-hasher.ts'
import type { PasswordFinder } from '../accounts/verify-password.ts'
import type { ChangingBy } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { AgentStore } from './agents/agent-store.ts'
import type { CompletedLoginStore } from './logins/completed-login-store.ts'
import type { LoginWaiters } from './logins/login-waiters.ts'
import type { SignInSessionStore } from './logins/sign-in-session-store.ts'
import type { Throttle } from './logins/throttle.ts'

export interface IdentityDependencies {
  /** Where clients reach the service, without a trailing slash: the location of the caveats it discharges. */
  readonly location: string
  readonly keyring: Keyring
  readonly accounts: AccountFinder & PasswordFinder
  readonly passwords: PasswordHasher
  readonly agents: AgentStore
  readonly signInSessions: SignInSessionStore
  readonly completedLogins: CompletedLoginStore
  readonly changeBy: ChangingBy<{
    readonly completedLogins: CompletedLoginStore
    readonly signInSessions: SignInSessionStore
  }>
  readonly throttle: Throttle
  readonly waiters: LoginWaiters
  readonly clock: Clock
}

/** How long somebody has to complete a login. */
export const LOGIN_MS = 30 * 60_000
/** How long a completed login can be fetched by the client, again and again: an answer may get lost. */
export const FETCH_MS = 60_000
/** How long the client has to discharge with the token it fetched, from the completion on. */
export const LOGIN_TOKEN_MS = 5 * 60_000
/** How long an agent has to answer. */
export const AGENT_LOGIN_MS = 60_000
/** How long a discharge can be used (contract/bakery.md 2.9: Candid's default). */
export const DISCHARGE_MS = 24 * 60 * 60_000
/** How long a browser stays signed in. */
export const SIGN_IN_MS = 12 * 60 * 60_000
