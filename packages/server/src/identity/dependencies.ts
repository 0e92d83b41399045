import type { Tally } from '../counting/tally.ts'
import type { Stores } from '../stores.ts'
import type { RememberedAgents } from './agents/enabled-agent.ts'
import type { KnownService } from './known-services.ts'
import type { LoginWaiters } from './logins/login-waiters.ts'
import type { Throttle } from './logins/throttle.ts'
import type { ReturnPlaces } from './redirect/return-to.ts'

export interface IdentityDependencies extends Stores {
  /** The URL of the service, without a trailing slash. It is the location of the caveats it discharges. */
  readonly location: string
  /** The known services besides the one that this service is part of. */
  readonly knownServices: readonly KnownService[]
  /** The addresses that web sites can have browsers sent back to. */
  readonly returnPlaces: ReturnPlaces
  /** Whether clients at this address can use the console of the same service. */
  readonly showsConsoleTo: (address: string) => boolean
  /** Whether programs may also log in with a password. */
  readonly passwordLogins: boolean
  readonly knownAgents: RememberedAgents
  readonly throttle: Throttle
  readonly tally: Tally
  readonly waiters: LoginWaiters
}
