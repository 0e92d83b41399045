/** Opens SQLite or PostgreSQL behind one type. */
import { Kysely } from 'kysely'
import { type DatabaseClock, systemClock } from '../clock.ts'
import type { Notifications } from './changes/row-change.ts'
import type { DatabaseKind } from './differences.ts'
import type { DatabaseObserver, PoolState } from './driver.ts'
import {
  DEFAULT_LIMITS,
  LOCKING_LIMITS,
  LONGEST_WAIT_MS,
  type PostgresLimits,
  UNHURRIED_LIMITS,
} from './postgres/limits.ts'
import { distributedTables } from './schema/catalogue.ts'
import type { Schema } from './schema/schema.ts'
import type { SqliteAccess } from './sqlite/sqlite.ts'
import { type Announcing, announcingTo, type OnWait } from './waiting.ts'

export type { SqliteAccess } from './sqlite/sqlite.ts'

export type DatabaseTarget =
  | {
      readonly kind: 'sqlite'
      readonly file: string
      readonly patienceMs?: number
      /** Default: `write`. */
      readonly access?: SqliteAccess
    }
  | { readonly kind: 'postgres'; readonly url: string; readonly limits?: Partial<PostgresLimits> }

export interface Database {
  readonly kind: DatabaseKind
  /** Any statement can throw `Unavailable`. Whether the statement took effect is then unknown. */
  readonly query: Kysely<Schema>
  /**
   * Runs `work` without time limits on its own connection, so that reads of this process don't wait for it.
   * Only a wait for a lock is limited, to ten minutes.
   */
  unhurried<T>(work: (query: Kysely<Schema>) => Promise<T>): Promise<T>
  /**
   * Like {@link unhurried}, for transactions that lock whole tables. On PostgreSQL each wait for a lock is
   * limited to a second, because other statements queue behind it. Then all of `work` is repeated, as after a
   * deadlock, for up to ten minutes.
   */
  locking<T>(work: (query: Kysely<Schema>) => Promise<T>): Promise<T>
  /** The pool's state at the time of the call. */
  pool(): PoolState
  /**
   * Whether the rows of devices were on several servers (Citus) when the database was opened. A statement
   * about devices then runs on one of the servers only, so it must name one bucket.
   */
  readonly distributed: boolean
  /** The clock for everything stored: dates, comparisons, removals. On SQLite it is this machine's. */
  readonly clock: DatabaseClock
  /** The notifications of PostgreSQL; undefined on SQLite. */
  readonly notifications?: Notifications
  /** Waits for running statements. Later statements throw `Unavailable`. */
  close(): Promise<void>
}

/** Opens a database. Calls `onWait` for each wait of over a second. Throws `Unavailable` if it can't be reached. */
export async function openDatabase(
  target: DatabaseTarget,
  observer?: DatabaseObserver,
  onWait: OnWait = () => {},
): Promise<Database> {
  const announcing = announcingTo(onWait)
  // Load only the driver that is needed.
  const database = await (target.kind === 'sqlite'
    ? sqlite(target, announcing, observer)
    : postgres(target, announcing, observer))
  try {
    const { query, kind } = database
    const probe = () => query.selectNoFrom((eb) => eb.lit(1).as('one')).execute()
    await (kind === 'sqlite'
      ? probe()
      : announcing(probe, () => 'waiting for PostgreSQL, which does not answer'))
    return { ...database, distributed: (await distributedTables(query, kind)).has('device') }
  } catch (error) {
    await database.close()
    throw error
  }
}

type Opened = Omit<Database, 'distributed'>

/**
 * Replaces Kysely's `destroy`. The request of a client that hung up keeps running, and after `destroy` its
 * next statement would fail as a programming error. The driver throws `Unavailable` instead.
 */
function once(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => {
    closed ??= close()
    return closed
  }
}

type Target<Kind> = Extract<DatabaseTarget, { kind: Kind }>

async function sqlite(
  { file, patienceMs, access }: Target<'sqlite'>,
  announcing: Announcing,
  observer?: DatabaseObserver,
): Promise<Opened> {
  const { sqliteDialect } = await import('./sqlite/sqlite.ts')
  const { dialect, driver } = sqliteDialect(file, { patienceMs, access, announcing }, observer)
  const query = new Kysely<Schema>({ dialect })
  const unhurried: Database['unhurried'] = async (work) => {
    const options = { patienceMs: LONGEST_WAIT_MS, access, announcing, beside: driver }
    const own = sqliteDialect(file, options)
    try {
      return await work(new Kysely<Schema>({ dialect: own.dialect }))
    } finally {
      await own.driver.close()
    }
  }
  return {
    kind: 'sqlite',
    query,
    unhurried,
    locking: unhurried,
    pool: () => driver.state,
    clock: { now: systemClock, aheadBy: () => 0 },
    close: once(() => driver.close()),
  }
}

async function postgres(
  { url, limits }: Target<'postgres'>,
  announcing: Announcing,
  observer?: DatabaseObserver,
): Promise<Opened> {
  const { postgresDialect } = await import('./postgres/postgres.ts')
  const { lockWaitOf } = await import('./postgres/locks.ts')
  const { repeatedUntilLocked } = await import('./postgres/locks.ts')
  const { dialect, driver } = postgresDialect(url, { ...DEFAULT_LIMITS, ...limits }, observer)
  const query = new Kysely<Schema>({ dialect })
  const onOwnConnection = async <T>(
    ownLimits: PostgresLimits,
    work: (own: Kysely<Schema>) => Promise<T>,
  ): Promise<T> => {
    const { dialect: ownDialect, driver: ownDriver } = postgresDialect(url, ownLimits)
    const own = new Kysely<Schema>({ dialect: ownDialect })
    try {
      return await announcing(
        () => work(own),
        () => lockWaitOf(query, ownDriver.serverProcesses),
      )
    } finally {
      await own.destroy()
    }
  }
  return {
    kind: 'postgres',
    query,
    unhurried: (work) => onOwnConnection(UNHURRIED_LIMITS, work),
    locking: (work) => onOwnConnection(LOCKING_LIMITS, (own) => repeatedUntilLocked(() => work(own))),
    pool: () => driver.state,
    clock: driver.clock,
    notifications: driver,
    close: once(() => driver.close()),
  }
}
