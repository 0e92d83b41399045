/** Options for starting a command or a test, extended for a process of the service. */
import type { PasswordHasher } from '../accounts/passwords/password-hasher.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { DocsSite } from '../http/description/docs-site.ts'
import type { Counters } from '../limits/counters.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { TlsSource } from '../tls/served-tls.ts'

export interface StartOptions {
  readonly config: Config
  readonly log: StartLog
  /** Default: the clock of the database. */
  readonly clock?: Clock
  /** The clock of this machine, which is compared with the database's. Default: the system's clock. */
  readonly machineClock?: Clock
  /** Default: a hasher that is slow on purpose. */
  readonly passwords?: PasswordHasher
  /**
   * How to handle the schema of the database. `update` (the default) runs missing migrations. `require` is for
   * commands: those that change something update an embedded database, which only this machine uses; any other database
   * must have the current schema. `keep` means that a supervisor has updated it.
   */
  readonly schema?: 'update' | 'require' | 'keep'
  /**
   * How much opening may create. `everything` (the default): a missing embedded database with its secret key, and the
   * first keys in a database without keys. `keys`: only these keys, for commands that change an installation.
   * `nothing`: for commands that only read.
   */
  readonly makes?: 'everything' | 'keys' | 'nothing'
  /** Called with a sentence about what was created, and where. Default: writes it to the log. */
  readonly onMade?: (sentence: string) => void
  /** Stops a start between two of its steps, with the signal's reason, and leaves everything consistent. */
  readonly stop?: AbortSignal
}

/** The log for opening an installation. Not pino's whole type, because commands do not load pino. */
export interface StartLog {
  info(fields: object, message: string): void
  warn(message: string): void
}

export interface ServiceOptions extends StartOptions {
  readonly log: Log
  /** Whether to print a setup link, if the installation needs its first operator. Default: only how to get one. */
  readonly printsSetupLink?: boolean
  /** Whether to start only the identity service. */
  readonly identityOnly?: boolean
  /** Whether it is a demo, which every page then shows. */
  readonly isDemo?: boolean
  /**
   * Whether to do a share of the periodic work: linking the audit log, retention, storing activity and counters. By
   * default, activity and counters are stored only when the service stops.
   */
  readonly jobs?: boolean
  /** The counters that the workers of a machine share. Default: this process counts by itself. */
  readonly counters?: Counters
  /** Reads the docs site. Default: that of this program. */
  readonly readDocs?: () => Promise<DocsSite | undefined>
  /** The certificate, if the configuration has TLS. Default: this process reads the files itself. */
  readonly tls?: TlsSource
  /** Called with the metrics. Default: they are served on the configured port. */
  readonly shareMetrics?: (metrics: Metrics) => void
}
