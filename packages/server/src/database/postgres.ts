/** PostgreSQL by a pool of `pg`. Every wait has an end, so that a silent network is noticed. */
import {
  AbortedTransactionError,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { sqlState } from './away.ts'
import { createDriver, type DatabaseObserver, type RawConnection, type RawDriver } from './driver.ts'
import type { PoolState } from './pool-state.ts'

export interface PostgresLimits {
  readonly maxConnections: number
  /** For a free connection, or a new one. */
  readonly connectMs: number
  /** The server gives up a statement after this. 0 = never. */
  readonly statementMs: number
  /** We give up the connection after this without an answer: the network is gone. 0 = never. */
  readonly answerMs: number
}

export const DEFAULT_LIMITS: PostgresLimits = {
  maxConnections: 10,
  connectMs: 5_000,
  statementMs: 10_000,
  answerMs: 15_000,
}

/** For migrations, which may rewrite a table, or wait for another process that does. */
export const UNHURRIED_LIMITS: PostgresLimits = {
  maxConnections: 1,
  connectMs: 5_000,
  statementMs: 0,
  answerMs: 0,
}

/** A dialect over the database at `url` (`postgres://user:password@host:port/name?sslmode=…`). */
export function postgresDialect(
  url: string,
  limits: PostgresLimits,
  observer?: DatabaseObserver,
): { dialect: Dialect; driver: PostgresDriver } {
  const driver = new PostgresDriver(url, limits)
  const dialect: Dialect = {
    createDriver: () => createDriver(driver, observer),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
  return { dialect, driver }
}

const INT8 = 20

export class PostgresDriver implements RawDriver {
  readonly #pool: pg.Pool
  readonly #most: number

  constructor(url: string, limits: PostgresLimits) {
    this.#most = limits.maxConnections
    this.#pool = new pg.Pool({
      connectionString: url,
      fallback_application_name: 'ratafia',
      max: limits.maxConnections,
      connectionTimeoutMillis: limits.connectMs,
      idleTimeoutMillis: 60_000,
      statement_timeout: limits.statementMs,
      query_timeout: limits.answerMs,
      // A node that dies inside a transaction must not hold its locks for as long as TCP takes to notice.
      idle_in_transaction_session_timeout: limits.statementMs,
      keepAlive: true,
      types: { getTypeParser },
    })
    // An idle connection that breaks is dropped by the pool, and the next statement opens another. Without these
    // listeners the 'error' event would end the process, for a connection in use as well.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  async acquire(): Promise<RawConnection> {
    return new PostgresConnection(await this.#pool.connect())
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  get state(): PoolState {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool
    return { most: this.#most, open, idle, waiting }
  }
}

class PostgresConnection implements RawConnection {
  readonly #client: pg.PoolClient
  #broken = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>> {
    const { command, rowCount, rows } = await this.#query(sql, parameters)
    const writes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    return writes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }

  async begin(settings: TransactionSettings): Promise<void> {
    const { isolationLevel, accessMode } = settings
    const isolation = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    await this.#query(`start transaction${isolation}${accessMode ? ` ${accessMode}` : ''}`, [])
  }

  async commit(): Promise<void> {
    const { command } = await this.#query('commit', [])
    // The server's answer when an earlier statement failed and its error was caught.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    // It would wait behind the statement that got no answer.
    if (this.#broken) return
    await this.#query('rollback', []).catch(() => {
      this.#broken = true
    })
  }

  release(): void {
    // True closes the connection, and the server rolls back what it had begun.
    this.#client.release(this.#broken)
  }

  async #query(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(sql, [...parameters])
    } catch (error) {
      const state = sqlState(error)
      // What the server did not report leaves the connection in a state we do not know.
      if (state === undefined || state.startsWith('57P')) this.#broken = true
      throw withoutValues(error)
    }
  }
}

/** The server quotes rows and parameters in these fields, and whoever logs the error would log them. */
function withoutValues(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined
    error.where = undefined
    error.internalQuery = undefined
  }
  return error
}

/** As `pg` reads columns, but int8 as a number, as SQLite gives it. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 && format !== 'binary') return parseInt8
  return pg.types.getTypeParser(oid, format ?? 'text')
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`An integer of the database is too large: ${text}`)
  return value
}
