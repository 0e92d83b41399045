import type { DirectAuthority } from './authority.ts'
import type { WholeDatabaseStore } from './backup/whole-database-store.ts'
import type { AuditedChange } from './change.ts'
import type { CheckDeps } from './checkup/check.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Database } from './database/index.ts'
import type { Stores } from './stores.ts'

/** An installation whose schema and keys are unchecked; opening it makes no key. */
export interface UnopenedInstallation {
  readonly clock: Clock
  /** Which database, without user and password. */
  readonly location: string
  readonly wholeDatabase: WholeDatabaseStore
  /** Of the operator: whoever runs this process. */
  readonly authority: DirectAuthority
  /** Adds an entry to the audit log, about what changes no row itself. */
  record(change: AuditedChange): Promise<void>
  /** What `ratafia verify` reads, in one snapshot. */
  atOneMoment<T>(work: (moment: Omit<CheckDeps, 'sealer'>) => Promise<T>): Promise<T>
}

export interface Installation extends Stores {
  readonly config: Config
  /** How far this machine's clock is ahead of the database's, in milliseconds; see `DatabaseClock.aheadBy`. */
  readonly clockAhead: () => number
  readonly database: Database
  /** Of the operator: whoever runs this process. */
  readonly authority: DirectAuthority
  close(): Promise<void>
}
