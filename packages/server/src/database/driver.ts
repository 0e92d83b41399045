/**
 * The part that both drivers share. A connection runs one statement at a time. Errors that mean "away" become
 * `Unavailable` here and nowhere else. Text that either database can't store is refused on both.
 */
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import { away, translateAway } from './errors/away.ts'
import { UnstorableText } from './errors/refusals.ts'

/** A connection to one database. Errors are the driver's own. */
export interface RawConnection {
  run(sql: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>>
  begin(settings: TransactionSettings): Promise<void>
  commit(): Promise<void>
  /**
   * Throws if the answers inside the transaction can't be trusted; that is then why the transaction failed. A
   * connection that can't roll back is dropped, and the database rolls back.
   */
  rollback(): Promise<void>
  release(): void
}

export interface RawDriver {
  /** The file of an embedded database, for messages. */
  readonly file?: string
  /** Throws if it can't get a connection, which always means that the database is unavailable. */
  acquire(): Promise<RawConnection>
  close(): Promise<void>
}

/** Wraps every statement, for metrics and traces. Returns and throws what the statement does. */
export interface DatabaseObserver {
  /** The wait for a connection. */
  acquire<T>(run: () => Promise<T>): Promise<T>
  /** Wraps one statement. Its text has placeholders in place of values. */
  statement<T>(text: string, run: () => Promise<T>): Promise<T>
}

const NOT_OBSERVED: DatabaseObserver = {
  acquire: (run) => run(),
  statement: (_text, run) => run(),
}

/** Creates a Kysely driver from a {@link RawDriver}. */
export function createDriver(raw: RawDriver, observer: DatabaseObserver = NOT_OBSERVED): Driver {
  const { statement } = observer
  const translating = translatingFor(raw.file)
  return {
    init: async () => {},
    acquireConnection: () =>
      observer.acquire(async () => {
        try {
          return new Connection(await raw.acquire(), { observer, translating })
        } catch (error) {
          throw error instanceof Error ? away(error, raw.file) : error
        }
      }),
    beginTransaction: (connection, settings) =>
      statement('begin', () => translating(() => rawOf(connection).begin(settings))),
    commitTransaction: (connection) =>
      statement('commit', () => translating(() => rawOf(connection).commit())),
    rollbackTransaction: (connection) =>
      statement('rollback', () => translating(() => rawOf(connection).rollback())),
    releaseConnection: async (connection) => rawOf(connection).release(),
    destroy: () => raw.close(),
  }
}

class Connection implements DatabaseConnection {
  readonly raw: RawConnection
  readonly #observer: DatabaseObserver
  readonly #translating: Translating

  constructor(raw: RawConnection, on: { observer: DatabaseObserver; translating: Translating }) {
    this.raw = raw
    this.#observer = on.observer
    this.#translating = on.translating
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    refuseUnstorableText(parameters)
    const run = () => this.#translating(() => this.raw.run(sql, parameters))
    // Kysely infers R from the statement; the driver can't know it.
    return (await this.#observer.statement(sql, run)) as QueryResult<R>
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, and nothing is streamed.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new TypeError('Statements cannot be streamed. Read pages instead.')
  }
}

function rawOf(connection: DatabaseConnection): RawConnection {
  if (!(connection instanceof Connection)) throw new TypeError('Not a connection of this driver.')
  return connection.raw
}

type Translating = <T>(work: () => Promise<T>) => Promise<T>

function translatingFor(file: string | undefined): Translating {
  return async (work) => {
    try {
      return await work()
    } catch (error) {
      throw translateAway(error, file)
    }
  }
}

/**
 * Throws {@link UnstorableText} for text that a database can't store: PostgreSQL rejects U+0000, and a lone
 * surrogate would come back as different text. The API's schemas refuse both in requests; this stops anything
 * they miss, also on SQLite.
 */
export function refuseUnstorableText(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter === 'string' && (parameter.includes('\0') || !parameter.isWellFormed())) {
      throw new UnstorableText('A string with U+0000 or a lone surrogate cannot be stored.')
    }
  }
}

/** The use of this process's connections. */
export interface PoolState {
  /** The highest number of connections that can be open. */
  readonly most: number
  readonly open: number
  /** How many of the open connections are idle. */
  readonly idle: number
  /** How many statements and transactions are waiting for a connection. */
  readonly waiting: number
}
