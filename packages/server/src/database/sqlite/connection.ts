/** SQLite's connection while one statement or transaction holds it, and its wait for another process's lock. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { AbortedTransactionError, type QueryResult, type TransactionSettings } from 'kysely'
import type { RawConnection } from '../driver.ts'
import { away } from '../errors/away.ts'
import { sqliteCode } from '../errors/driver-errors.ts'
import type { Turns } from './turns.ts'

export const RETRY_MS = 15
const CACHED_STATEMENTS = 500
const SQLITE_BUSY = 5
/** Statements that need the lock when they run on their own. Any other statement finds out when it runs. */
const WRITES = /^(?:insert|update|delete)\b/i

export interface SqliteTurns {
  /** The file of the database, for messages. */
  readonly file: string
  readonly connection: Turns
  /** The turns of those that found the lock taken. Only the first asks for it, because asking blocks the thread. */
  readonly lock: Turns
  /** Whether a transaction keeps its turn for the lock until it ends, while the process's other writers wait. */
  readonly keepsLock: boolean
  /** How long to wait, in milliseconds. */
  readonly patience: number
  /** Runs a wait for another process's lock. */
  readonly announced: <T>(wait: () => Promise<T>) => Promise<T>
}

export interface PreparedStatement {
  readonly statement: StatementSync
  /** Whether it returns rows. Asking SQLite for the columns at each run would take longer than the run. */
  readonly hasRows: boolean
}

export class SqliteConnection implements RawConnection {
  readonly #database: DatabaseSync
  readonly #turns: SqliteTurns
  readonly #statements: Map<string, PreparedStatement>
  #held = false
  #hasLock = false
  // Like PostgreSQL, commit nothing once a statement has failed, even if its error was caught.
  #failed = false

  constructor(database: DatabaseSync, turns: SqliteTurns, statements: Map<string, PreparedStatement>) {
    this.#database = database
    this.#turns = turns
    this.#statements = statements
  }

  async take(patience: number): Promise<void> {
    this.#held = await this.#turns.connection.take(patience)
    if (!this.#held) throw away(new Error(`the connection was not free for ${this.#turns.patience} ms`))
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>> {
    const run = () => this.#run(sql, parameters)
    // A transaction has the lock from its start, so only a single statement can find it taken.
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
    const begin = () => this.#database.exec(writes ? 'begin immediate' : 'begin')
    if (writes && this.#turns.keepsLock) await this.#afterOthers(begin, true)
    else await this.#patiently(begin, writes)
    this.#failed = false
  }

  async commit(): Promise<void> {
    this.#database.exec(this.#failed ? 'rollback' : 'commit')
    if (this.#failed) throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    // After a full disk or an I/O error, SQLite has already rolled back.
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  release(): void {
    if (this.#hasLock) this.#turns.lock.giveBack()
    this.#hasLock = false
    if (this.#held) this.#turns.connection.giveBack()
    this.#held = false
  }

  #run(sql: string, parameters: readonly unknown[]): QueryResult<unknown> {
    const { statement, hasRows } = this.#prepare(sql)
    // node:sqlite refuses any other type with a TypeError.
    const values = parameters as readonly SQLInputValue[]
    if (hasRows) return { rows: statement.all(...values).map(plainRow) }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  #prepare(sql: string): PreparedStatement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.#database.prepare(sql)
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    // Lists of values turn one query into many statements. Starting over is enough as eviction.
    if (this.#statements.size >= CACHED_STATEMENTS) this.#statements.clear()
    this.#statements.set(sql, prepared)
    return prepared
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

  /**
   * Runs `work` once it has the lock. Releases the connection while waiting, so that reads, which need no
   * lock, are not delayed. With `keepsLock`, the lock is held until the connection is released.
   */
  async #afterOthers<T>(work: () => T, keepsLock = false): Promise<T> {
    const patience = this.#turns.patience
    const deadline = performance.now() + patience
    const left = () => Math.max(0, deadline - performance.now())
    this.release()
    if (!(await this.#turns.lock.take(patience))) {
      const message = `database is locked, and others have waited ${patience} ms for it`
      throw away(Object.assign(new Error(message), { errcode: SQLITE_BUSY }), this.#turns.file)
    }
    try {
      return await this.#turns.announced(async () => {
        for (;;) {
          await this.take(left())
          try {
            const result = work()
            this.#hasLock = keepsLock
            return result
          } catch (error) {
            if (!isBusy(error) || left() === 0) throw error
          }
          this.release()
          await sleep(RETRY_MS)
        }
      })
    } finally {
      if (!this.#hasLock) this.#turns.lock.giveBack()
    }
  }
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY
}

/** Returns a row as `pg` does: a plain object with Buffers. `node:sqlite` has no prototype and bare Uint8Arrays. */
function plainRow(row: Record<string, SQLOutputValue>): Record<string, unknown> {
  const plain: Record<string, unknown> = {}
  for (const name of Object.keys(row)) {
    const value = row[name]
    plain[name] =
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
  }
  return plain
}
