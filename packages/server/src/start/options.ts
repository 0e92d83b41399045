/** Options for starting: one shape for commands and tests, extended for a process of the service. */
import type { PasswordHasher } from '../accounts/passwords/password-hasher.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Counters } from '../limits/counters.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface StartOptions {
  readonly config: Config
  readonly log: StartLog
  /** Default: the database's. */
  readonly clock?: Clock
  /** This machine's, which is compared with the database's. Default: the system's. */
  readonly machineClock?: Clock
  /** Default: one whose hashes are slow on purpose. */
  readonly passwords?: PasswordHasher
  /**
   * What happens to the schema of the database. `update` (the default) runs the migrations that are missing. `require`
   * is for commands: those that change something update an embedded database, which belongs to this machine alone; any
   * other whose schema is not current is refused. `keep`: a supervisor has updated it.
   */
  readonly schema?: 'update' | 'require' | 'keep'
  /**
   * What opening may make. `everything` (the default): a missing embedded database with its secret key, and the first
   * keys in a database without any. `keys`: only those, for commands that change an installation. `nothing`: for
   * commands that read.
   */
  readonly makes?: 'everything' | 'keys' | 'nothing'
  /** Gets a sentence for what opening has made, and where. Default: the log. */
  readonly onMade?: (sentence: string) => void
  /** Ends a start between two of its steps, with its reason; what is there by then is whole. */
  readonly stop?: AbortSignal
}

/** What opening an installation logs. Not pino's whole type: a command does not load pino. */
export interface StartLog {
  info(fields: object, message: string): void
  warn(message: string): void
}

export interface ServiceOptions extends StartOptions {
  readonly log: Log
  /** Start the identity service alone. */
  readonly identityOnly?: boolean
  /**
   * Do a share of the periodic work: linking the audit log, retention, storing what was seen and counted. Default: no, and
   * what was seen and counted is stored when the service ends.
   */
  readonly jobs?: boolean
  /** What the workers of a machine count together. Default: this process counts alone. */
  readonly counters?: Counters
  /** Takes the metrics. Default: they are served on the port that the configuration gives them. */
  readonly shareMetrics?: (metrics: Metrics) => void
}
