import type { SessionOpening } from '../../tokens/open-session.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import type { CheckDeps } from '../logins/check-credentials.ts'

export interface PasswordDependencies extends CheckDeps, Pick<IdentityDependencies, 'knownServices'> {
  /** Whether programs may log in with a password. */
  readonly enabled: boolean
  /** Milliseconds that a discharge can be used before it has to be refreshed. */
  readonly dischargeLifetime: number
  /**
   * The sessions of the service that this identity service is part of. Undefined: it runs alone, and the first use opens
   * a session.
   */
  readonly sessions: SessionOpening | undefined
}
