/**
 * SQLite by `node:sqlite`: one connection, taken by one statement or transaction at a time.
 * Other processes (the CLI beside the service) write to the same file; a lock of theirs is waited for.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AbortedTransactionError,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { sqliteCode } from './away.ts'
import { createDriver, type DatabaseObserver, type RawConnection, type RawDriver } from './driver.ts'
import type { PoolState } from './pool-state.ts'

/** How long to wait for the connection, or for the lock of another process. */
const PATIENCE_MS = 5_000
/** SQLite waits for a lock by blocking the thread. It does so this long; the rest is waited for with timers. */
const BLOCKING_WAIT_MS = 20
const RETRY_MS = 15
const CACHED_STATEMENTS = 500
const SQLITE_BUSY = 5

/** A dialect over `file`, which is made (mode 0600) if absent. */
export function sqliteDialect(
  file: string,
  patienceMs?: number,
  observer?: DatabaseObserver,
): { dialect: Dialect; driver: SqliteDriver } {
  const driver = new SqliteDriver(file, patienceMs)
  const dialect: Dialect = {
    createDriver: () => createDriver(driver, observer),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new QueueingAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
  return { dialect, driver }
}

/** Kysely would queue for the only connection without an end; the driver's own queue gives up. */
class QueueingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

export class SqliteDriver implements RawDriver {
  readonly #file: string
  readonly #statements = new Map<string, StatementSync>()
  readonly #waiting: (() => void)[] = []
  #database: DatabaseSync | undefined
  #taken = false
  #patience: number

  constructor(file: string, patienceMs = PATIENCE_MS) {
    this.#file = file
    this.#patience = patienceMs
  }

  async acquire(): Promise<RawConnection> {
    this.#database ??= await this.#patiently(() => open(this.#file))
    await this.#take()
    return this.#connection(this.#database)
  }

  async close(): Promise<void> {
    this.#statements.clear()
    this.#database?.close()
    this.#database = undefined
  }

  get state(): PoolState {
    const open = this.#database ? 1 : 0
    return { most: 1, open, idle: this.#taken ? 0 : open, waiting: this.#waiting.length }
  }

  /** Runs `work` with locks waited for as long as `milliseconds`. For a start, when another process migrates. */
  async withPatience<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    const usual = this.#patience
    this.#patience = milliseconds
    try {
      return await work()
    } finally {
      this.#patience = usual
    }
  }

  #connection(database: DatabaseSync): RawConnection {
    // PostgreSQL commits nothing of a transaction in which a statement failed, caught or not. Nor does this.
    let failed = false
    return {
      run: async (sql, parameters) => {
        const run = () => this.#run(database, sql, parameters)
        // A transaction holds the write lock from its start, so only what stands alone can find it taken.
        if (!database.isTransaction) return this.#patiently(run)
        try {
          return run()
        } catch (error) {
          failed = true
          throw error
        }
      },
      begin: async (settings) => {
        const begin = settings.accessMode === 'read only' ? 'begin' : 'begin immediate'
        await this.#patiently(() => database.exec(begin))
        failed = false
      },
      commit: async () => {
        database.exec(failed ? 'rollback' : 'commit')
        if (failed) throw new AbortedTransactionError()
      },
      rollback: async () => {
        // After a full disk or an I/O error SQLite has already rolled back.
        if (database.isTransaction) database.exec('rollback')
      },
      release: () => this.#giveBack(),
    }
  }

  #run(database: DatabaseSync, sql: string, parameters: readonly unknown[]): QueryResult<unknown> {
    const statement = this.#prepare(database, sql)
    // Anything else than these types is refused by node:sqlite with a TypeError.
    const values = parameters as readonly SQLInputValue[]
    if (statement.columns().length > 0) return { rows: statement.all(...values).map(plainRow) }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  #prepare(database: DatabaseSync, sql: string): StatementSync {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = database.prepare(sql)
    // Lists of values make many texts of one query; starting over is enough of an eviction.
    if (this.#statements.size >= CACHED_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
  }

  async #patiently<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + this.#patience
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (sqliteCode(error) !== SQLITE_BUSY || performance.now() > deadline) throw error
      }
      await sleep(RETRY_MS)
    }
  }

  async #take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        reject(new Error(`the connection was not free for ${this.#patience} ms`))
      }, this.#patience)
      this.#waiting.push(turn)
    })
  }

  #giveBack(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }
}

function open(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    // SQLite makes its -wal and -shm files with the mode of this one.
    closeSync(openSync(file, 'wx', 0o600))
    chmodSync(file, 0o600)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BLOCKING_WAIT_MS })
  try {
    database.exec('pragma journal_mode = wal')
    // WAL alone would lose the last commits with the power; what is acknowledged must stay.
    database.exec('pragma synchronous = full')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** `node:sqlite` gives objects without a prototype and bare Uint8Arrays; `pg` gives plain objects and Buffers. */
function plainRow(row: Record<string, SQLOutputValue>): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const name of Object.keys(row)) {
    const value = row[name]
    plain[name] =
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
  }
  return plain
}
