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
  type TransactionSettings,
} from 'kysely'
import { away, sqliteCode } from '../away.ts'
import { createDriver, type DatabaseObserver, type RawConnection, type RawDriver } from '../driver.ts'
import type { PoolState } from '../pool-state.ts'
import { Turns } from './turns.ts'

/** How long to wait for the connection, or for the lock of another process. */
const PATIENCE_MS = 5_000
/** SQLite waits for a lock by blocking the thread. It does so this long; the rest is waited for with timers. */
const BLOCKING_WAIT_MS = 20
const RETRY_MS = 15
const CACHED_STATEMENTS = 500
const SQLITE_BUSY = 5
/** What needs the lock when it stands alone. Anything else finds out when it runs. */
const WRITES = /^(?:insert|update|delete)\b/i

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
  readonly #connection = new Turns()
  readonly #lock = new Turns()
  #database: DatabaseSync | undefined
  #patience: number

  constructor(file: string, patienceMs = PATIENCE_MS) {
    this.#file = file
    this.#patience = patienceMs
  }

  async acquire(): Promise<RawConnection> {
    this.#database ??= await this.#opened()
    const turns = { connection: this.#connection, lock: this.#lock, patience: () => this.#patience }
    const connection = new SqliteConnection(this.#database, turns, this.#statements)
    await connection.take(this.#patience)
    return connection
  }

  async close(): Promise<void> {
    this.#statements.clear()
    this.#database?.close()
    this.#database = undefined
  }

  get state(): PoolState {
    const open = this.#database ? 1 : 0
    return { most: 1, open, idle: this.#connection.taken ? 0 : open, waiting: this.#connection.waiting }
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

  async #opened(): Promise<DatabaseSync> {
    const deadline = performance.now() + this.#patience
    for (;;) {
      try {
        return open(this.#file)
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error
      }
      await sleep(RETRY_MS)
    }
  }
}

interface SqliteTurns {
  readonly connection: Turns
  /** Only the first of those that found the lock taken asks for it: whenever it does, the thread stands still. */
  readonly lock: Turns
  /** In milliseconds. */
  readonly patience: () => number
}

/** The connection for as long as one statement or transaction has it. */
class SqliteConnection implements RawConnection {
  readonly #database: DatabaseSync
  readonly #turns: SqliteTurns
  readonly #statements: Map<string, StatementSync>
  #held = false
  // PostgreSQL commits nothing of a transaction in which a statement failed, caught or not. Nor does this.
  #failed = false

  constructor(database: DatabaseSync, turns: SqliteTurns, statements: Map<string, StatementSync>) {
    this.#database = database
    this.#turns = turns
    this.#statements = statements
  }

  async take(patience: number): Promise<void> {
    this.#held = await this.#turns.connection.take(patience)
    if (!this.#held) throw away(new Error(`the connection was not free for ${this.#turns.patience()} ms`))
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>> {
    const run = () => this.#run(sql, parameters)
    // A transaction has the lock from its start, so only what stands alone can find it taken.
    if (!this.#database.isTransaction) return this.#patiently(run, WRITES.test(sql))
    try {
      return run()
    } catch (error) {
      this.#failed = true
      throw error
    }
  }

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    const writes = accessMode !== 'read only'
    await this.#patiently(() => this.#database.exec(writes ? 'begin immediate' : 'begin'), writes)
    this.#failed = false
  }

  async commit(): Promise<void> {
    this.#database.exec(this.#failed ? 'rollback' : 'commit')
    if (this.#failed) throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    // After a full disk or an I/O error SQLite has already rolled back.
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  release(): void {
    if (this.#held) this.#turns.connection.giveBack()
    this.#held = false
  }

  #run(sql: string, parameters: readonly unknown[]): QueryResult<unknown> {
    const statement = this.#prepare(sql)
    // Anything else than these types is refused by node:sqlite with a TypeError.
    const values = parameters as readonly SQLInputValue[]
    if (statement.columns().length > 0) return { rows: statement.all(...values).map(plainRow) }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  #prepare(sql: string): StatementSync {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.#database.prepare(sql)
    // Lists of values make many texts of one query; starting over is enough of an eviction.
    if (this.#statements.size >= CACHED_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
  }

  async #patiently<T>(work: () => T, needsLock: boolean): Promise<T> {
    if (needsLock && this.#turns.lock.taken) return this.#afterOthers(work)
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    return this.#afterOthers(work)
  }

  /** Others have the connection while this waits for the lock: what only reads needs none, and is not held up. */
  async #afterOthers<T>(work: () => T): Promise<T> {
    const patience = this.#turns.patience()
    const deadline = performance.now() + patience
    const left = () => Math.max(0, deadline - performance.now())
    this.release()
    if (!(await this.#turns.lock.take(patience))) {
      throw away(new Error(`database is locked, and others have waited for it for ${patience} ms`))
    }
    try {
      for (;;) {
        await this.take(left())
        try {
          return work()
        } catch (error) {
          if (!isBusy(error) || left() === 0) throw error
        }
        this.release()
        await sleep(RETRY_MS)
      }
    } finally {
      this.#turns.lock.giveBack()
    }
  }
}

function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY
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
