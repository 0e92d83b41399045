/** PostgreSQL through pools of `pg`. Every wait has a limit, so that a silent network is noticed. */
import { createHash } from 'node:crypto'
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
import type { DatabaseClock } from '../../clock.ts'
import type { Notifications } from '../changes/row-change.ts'
import {
  createDriver,
  type DatabaseObserver,
  type PoolState,
  type RawConnection,
  type RawDriver,
} from '../driver.ts'
import { away, isOutdated } from '../errors/away.ts'
import { sqlState } from '../errors/driver-errors.ts'
import { NotConfirmed } from './heartbeats.ts'
import { limitsForTransaction, type PostgresLimits } from './limits.ts'
import { type Leased, PostgresPool } from './pool.ts'

/** Creates a dialect over the database at `url` (`postgres://user:password@host:port,host:port/name?sslmode=…`). */
export function postgresDialect(url: string, limits: PostgresLimits, observer?: DatabaseObserver) {
  const driver = new PostgresDriver(url, limits)
  const dialect: Dialect = {
    createDriver: () => createDriver(driver, observer),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
  return { dialect, driver }
}

class PostgresDriver implements RawDriver, Notifications {
  readonly #pool: PostgresPool
  readonly #limits: PostgresLimits
  readonly #names = new PreparedNames()
  #onOwnChange: (payload: string) => void = () => {}

  constructor(url: string, limits: PostgresLimits) {
    this.#limits = limits
    this.#pool = new PostgresPool(url, limits)
  }

  async acquire(): Promise<RawConnection> {
    const leased = await this.#pool.acquire()
    return new PostgresConnection(leased, this.#limits, this.#names, () => {
      for (const change of leased.known.announced.splice(0)) this.#onOwnChange(change)
    })
  }

  onOwnChange(onChange: (payload: string) => void): void {
    this.#onOwnChange = onChange
  }

  send(channel: string, payload: string): Promise<void> {
    return this.#pool.heartbeat({ channel, payload })
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  get state(): PoolState {
    return this.#pool.state
  }

  get serverProcesses(): readonly number[] {
    return this.#pool.serverProcesses
  }

  get clock(): DatabaseClock {
    return this.#pool.clock
  }
}

/** After a failover, this connection leads to a standby. */
const READ_ONLY = '25006'

/**
 * A connection whose answers count only once a heartbeat has ruled out that its host was cut off. A single statement
 * waits for that; a transaction waits at its end, because its answers are not used earlier. If it waited inside, the
 * heartbeat might never come: such transactions can keep all connections that a PgBouncer has to the server.
 */
class PostgresConnection implements RawConnection {
  readonly #leased: Leased
  /** The statements that begin a transaction with limits; empty if the connection itself has limits. */
  readonly #limits: string
  readonly #names: PreparedNames
  readonly #tellChanges: () => void
  #inTransaction = false
  #brokenBy: unknown

  constructor(leased: Leased, limits: PostgresLimits, names: PreparedNames, tellChanges: () => void) {
    this.#leased = leased
    this.#names = names
    this.#tellChanges = tellChanges
    this.#limits = leased.known.limited ? '' : limitsForTransaction(limits)
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>> {
    if (this.#inTransaction) return resultOf(await this.#query(sql, parameters))
    if (this.#limits === '') return resultOf(await this.#proven(sql, parameters))
    await this.begin({})
    try {
      const result = resultOf(await this.#query(sql, parameters))
      await this.commit()
      return result
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const isolation = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    const access = accessMode ? ` ${accessMode}` : ''
    try {
      // One message without parameters, so the limits do not cost a round trip.
      await this.#query(`start transaction${isolation}${access}${this.#limits}`, [])
      this.#inTransaction = true
    } catch (error) {
      // The transaction may have begun, and nothing would end it.
      this.#brokenBy = error
      throw error
    }
  }

  async commit(): Promise<void> {
    const { command } = await this.#query('commit', [])
    this.#inTransaction = false
    await this.#prove()
    // The server answers ROLLBACK if an earlier statement failed and its error was caught.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    if (!this.#inTransaction) return
    this.#inTransaction = false
    // A rollback would wait behind the statement that got no answer.
    if (this.#broken) throw this.#brokenBy
    try {
      await this.#query('rollback', [])
    } catch (error) {
      this.#brokenBy = error
      throw error
    }
    await this.#prove()
  }

  release(): void {
    this.#leased.client.release(this.#broken)
    // By now the changes are committed or their fate is unknown. The code that made them continues after this.
    this.#tellChanges()
  }

  get #broken(): boolean {
    return this.#brokenBy !== undefined
  }

  async #query(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const { client, known, leaveHost } = this.#leased
    const name = known.direct ? this.#names.nameOf(sql, parameters) : undefined
    const values = [...parameters]
    try {
      const result = await client.query(
        name === undefined ? { text: sql, values } : { name, text: sql, values },
      )
      // Its wait for the standby was cancelled: the change is stored here, and perhaps nowhere else.
      const { unconfirmed } = known
      known.unconfirmed = false
      if (unconfirmed) throw new NotConfirmed()
      return result
    } catch (error) {
      if (isOutdated(error)) {
        this.#names.forget()
        // In a transaction all further statements would fail, so `inTransaction` repeats all of it.
        if (!this.#inTransaction) return this.#query(sql, parameters)
      }
      const state = sqlState(error)
      // An error that the server did not report leaves the connection in an unknown state.
      if (state === undefined || state.startsWith('57P') || state === READ_ONLY) this.#brokenBy = error
      if (state === READ_ONLY) leaveHost()
      throw withoutValues(error)
    }
  }

  /** Runs a statement and proves its answer. An error such as a violated constraint is an answer as well. */
  async #proven(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const outcome = await this.#query(sql, parameters).catch((error: Error) => error)
    if (!this.#broken) await this.#prove()
    if (outcome instanceof Error) throw outcome
    return outcome
  }

  async #prove(): Promise<void> {
    try {
      await this.#leased.heartbeats.prove()
    } catch (error) {
      throw error instanceof Error ? away(error) : error
    }
  }
}

function resultOf({ command, rowCount, rows }: pg.QueryResult): QueryResult<unknown> {
  const writes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
  return writes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
}

/** Removes the fields in which the server quotes rows and parameters; logging the error would log them. */
function withoutValues(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    error.detail = undefined
    error.where = undefined
    error.internalQuery = undefined
  }
  return error
}

/** The maximum number of names on one connection, at some 20 KB of the server each. The service has fewer. */
const MOST_NAMES = 400
/** A longer list of values rarely has the same length again. */
const MOST_PARAMETERS = 40

/**
 * Names for statements, so that each connection prepares a statement once and the server keeps its plan. Without a
 * name, the server parses and plans the statement each time. A read of one row by its key then costs it three times as
 * much (59 µs of CPU instead of 19), and this process half as much again (46 instead of 30).
 *
 * The server reconsiders a kept plan's costs only when the table is analysed. `autovacuum` does that within a
 * minute of a large change.
 */
export class PreparedNames {
  readonly #names = new Map<string, string>()
  #generation = 0

  /** Returns the name for a statement; undefined if preparing it is not worthwhile. */
  nameOf(text: string, { length }: readonly unknown[]): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    // A statement without parameters is a single message, and most of these are run once.
    if (length === 0 || length > MOST_PARAMETERS || this.#names.size >= MOST_NAMES) return undefined
    // The digest gives every statement its own name, even if other programs use the server's connection.
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 40)
    const name = `ratafia_${this.#generation}_${digest}`
    this.#names.set(text, name)
    return name
  }

  /** Gives every statement a new name, so that nothing prepared so far is used again. */
  forget(): void {
    this.#names.clear()
    this.#generation++
  }
}
