/** What the routes of the identity service work with; each operation takes its part. */
import type { AccountStore } from '../accounts/account-store.ts'
import type { SignInSessionStore } from '../accounts/browsers/sign-in-session-store.ts'
import type { OneTimeLinkStore } from '../accounts/one-time-links/link-store.ts'
import type { PasswordHasher } from '../accounts/passwords/password-hasher.ts'
import type { SecondFactorStore } from '../accounts/second-factor/second-factor-store.ts'
import type { ChangingBy } from '../change.ts'
import type { Clock } from '../clock.ts'
import type { Tally } from '../counting/tally.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { Sealer } from '../keyring/sealing.ts'
import type { RememberedAgents } from './agents/enabled-agent.ts'
import type { KnownService } from './known-services.ts'
import type { CompletedLoginStore } from './logins/completed-login-store.ts'
import type { LoginWaiters } from './logins/login-waiters.ts'
import type { Throttle } from './logins/throttle.ts'
import type { ReturnPlaces } from './redirect/return-to.ts'

export interface IdentityDependencies {
  /** Where clients reach the service, without a trailing slash: the location of the caveats it discharges. */
  readonly location: string
  /** Beside the one that this service is part of. */
  readonly knownServices: readonly KnownService[]
  /** Where web sites may have browsers sent back to. */
  readonly returnPlaces: ReturnPlaces
  /** Whether the console of the same service is there for clients at this address. */
  readonly showsConsoleTo: (address: string) => boolean
  /** Whether programs may log in with a password, too. */
  readonly passwordLogins: boolean
  readonly keyring: Keyring
  readonly accounts: AccountStore
  readonly passwords: PasswordHasher
  readonly secondFactors: SecondFactorStore
  readonly oneTimeLinks: OneTimeLinkStore
  /** Opens the secrets of second factors. */
  readonly sealer: Sealer
  readonly knownAgents: RememberedAgents
  readonly signInSessions: SignInSessionStore
  readonly completedLogins: CompletedLoginStore
  readonly changeBy: ChangingBy
  readonly throttle: Throttle
  readonly tally: Tally
  readonly waiters: LoginWaiters
  readonly clock: Clock
}
