import type { Tally } from '../counting/tally.ts'
import type { Stores } from '../stores.ts'
import type { RememberedAgents } from './agents/enabled-agent.ts'
import type { KnownService } from './known-services.ts'
import type { LoginWaiters } from './logins/login-waiters.ts'
import type { Throttle } from './logins/throttle.ts'
import type { ReturnPlaces } from './redirect/return-to.ts'

export interface IdentityDependencies extends Stores {
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
  readonly knownAgents: RememberedAgents
  readonly throttle: Throttle
  readonly tally: Tally
  readonly waiters: LoginWaiters
}
