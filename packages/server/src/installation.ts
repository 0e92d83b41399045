import type { DirectAuthority } from './authority.ts'
import type { WholeDatabaseStore } from './backup/whole-database-store.ts'
import type { AuditedChange } from './change.ts'
import type { CheckDeps } from './checkup/check.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Database } from './database/index.ts'
import type { Stores } from './stores.ts'

/** An installation whose schema and keys have not been checked. Opening it does not create a key. */
export interface UnopenedInstallation {
  readonly clock: Clock
  /** The address of the database, without user and password. */
  readonly location: string
  readonly wholeDatabase: WholeDatabaseStore
  /** The authority of the operator who runs this process. */
  readonly authority: DirectAuthority
  /** Adds an audit log entry about something that does not itself change a row. */
  record(change: AuditedChange): Promise<void>
  /** Runs `work` with everything that `ratafia verify` reads, in one snapshot. */
  atOneMoment<T>(work: (moment: Omit<CheckDeps, 'sealer'>) => Promise<T>): Promise<T>
}

export interface Installation extends Stores {
  readonly config: Config
  /** How far this machine's clock is ahead of the database's, in milliseconds; see `DatabaseClock.aheadBy`. */
  readonly clockAhead: () => number
  readonly database: Database
  /** The authority of the operator who runs this process. */
  readonly authority: DirectAuthority
  close(): Promise<void>
}
