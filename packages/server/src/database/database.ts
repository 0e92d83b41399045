/** The two databases behind one type. */
import { Kysely } from 'kysely'
import type { Notifications } from './changes/notifications.ts'
import type { DatabaseKind } from './differences.ts'
import type { DatabaseObserver } from './driver.ts'
import type { PoolState } from './pool-state.ts'
import { DEFAULT_LIMITS, type PostgresLimits, UNHURRIED_LIMITS } from './postgres/limits.ts'
import { distributedTables } from './schema/catalogue.ts'
import type { Schema } from './schema/schema.ts'

export type DatabaseTarget =
  | { readonly kind: 'sqlite'; readonly file: string; readonly patienceMs?: number }
  | { readonly kind: 'postgres'; readonly url: string; readonly limits?: Partial<PostgresLimits> }

export interface Database {
  readonly kind: DatabaseKind
  /** Any statement may throw `Unavailable`: the database is away, and whether the statement took effect is unknown. */
  readonly query: Kysely<Schema>
  /** Runs `work` without time limits; on PostgreSQL, on a connection of its own. */
  unhurried<T>(work: (query: Kysely<Schema>) => Promise<T>): Promise<T>
  /** As of now. */
  pool(): PoolState
  /**
   * Whether the rows of devices are on several servers (Citus), as it was when the database was opened. Then a statement
   * about devices can look on one of them only: it names one bucket.
   */
  readonly distributed: boolean
  /** Undefined on SQLite. */
  readonly notifications?: Notifications
  /** Waits for running statements. */
  close(): Promise<void>
}

/** How long migrations, backups, restores and imports wait for another process. */
const SQLITE_UNHURRIED_MS = 600_000

/** Opens a database. Throws `Unavailable` if it cannot be reached. */
export async function openDatabase(target: DatabaseTarget, observer?: DatabaseObserver): Promise<Database> {
  // Loads only the driver it needs.
  const database = await (target.kind === 'sqlite' ? sqlite(target, observer) : postgres(target, observer))
  try {
    const { query, kind } = database
    await query.selectNoFrom((eb) => eb.lit(1).as('one')).execute()
    return { ...database, distributed: (await distributedTables(query, kind)).has('device') }
  } catch (error) {
    await database.close()
    throw error
  }
}

type Opened = Omit<Database, 'distributed'>

type Target<Kind> = Extract<DatabaseTarget, { kind: Kind }>

async function sqlite({ file, patienceMs }: Target<'sqlite'>, observer?: DatabaseObserver): Promise<Opened> {
  const { sqliteDialect } = await import('./sqlite/sqlite.ts')
  const { dialect, driver } = sqliteDialect(file, patienceMs, observer)
  const query = new Kysely<Schema>({ dialect })
  return {
    kind: 'sqlite',
    query,
    unhurried: (work) => driver.withPatience(SQLITE_UNHURRIED_MS, () => work(query)),
    pool: () => driver.state,
    close: () => query.destroy(),
  }
}

async function postgres({ url, limits }: Target<'postgres'>, observer?: DatabaseObserver): Promise<Opened> {
  const { postgresDialect } = await import('./postgres/postgres.ts')
  const { dialect, driver } = postgresDialect(url, { ...DEFAULT_LIMITS, ...limits }, observer)
  const query = new Kysely<Schema>({ dialect })
  return {
    kind: 'postgres',
    query,
    unhurried: async (work) => {
      const own = new Kysely<Schema>({ dialect: postgresDialect(url, UNHURRIED_LIMITS).dialect })
      try {
        return await work(own)
      } finally {
        await own.destroy()
      }
    },
    pool: () => driver.state,
    notifications: driver,
    close: () => query.destroy(),
  }
}
