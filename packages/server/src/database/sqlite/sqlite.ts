/**
 * SQLite through `node:sqlite`. One connection is used by one statement or transaction at a time, and each long-running
 * work has its own. Other processes (commands on the same host) write to the same file; this one waits for their locks.
 */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import {
  createDriver,
  type DatabaseObserver,
  type PoolState,
  type RawConnection,
  type RawDriver,
} from '../driver.ts'
import type { Announcing } from '../waiting.ts'
import { isBusy, type PreparedStatement, RETRY_MS, SqliteConnection, type SqliteTurns } from './connection.ts'
import { Turns } from './turns.ts'

/** How long to wait for the connection, or for another process's lock. */
const PATIENCE_MS = 5_000
/** SQLite blocks the thread while it waits for a lock. Let it do so for this long, and wait the rest with timers. */
const BLOCKING_WAIT_MS = 20

/** `read`: others can change the file. `read-still`: the file can't change, so it needs no files next to it. */
export type SqliteAccess = 'write' | 'read' | 'read-still'

interface SqliteOptions {
  readonly patienceMs?: number | undefined
  readonly access?: SqliteAccess | undefined
  readonly announcing: Announcing
  /** A driver of the same file in this process, whose writers wait for this one's transactions. */
  readonly beside?: SqliteDriver | undefined
}

/** Creates a dialect over `file`. The file is created (mode 0600) if it does not exist, unless it is only read. */
export function sqliteDialect(file: string, options: SqliteOptions, observer?: DatabaseObserver) {
  const driver = new SqliteDriver(file, options)
  const dialect: Dialect = {
    createDriver: () => createDriver(driver, observer),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new QueueingAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
  return { dialect, driver }
}

/** Disables Kysely's wait for the only connection, which has no limit; the driver's own queue gives up. */
class QueueingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteDriver implements RawDriver {
  readonly file: string
  readonly #statements = new Map<string, PreparedStatement>()
  readonly #connection = new Turns()
  readonly #lock: Turns
  readonly #turns: SqliteTurns
  #database: DatabaseSync | undefined
  #isClosed = false
  readonly #patience: number
  readonly #announcing: Announcing
  readonly #access: SqliteAccess

  constructor(
    file: string,
    { patienceMs = PATIENCE_MS, access = 'write', announcing, beside }: SqliteOptions,
  ) {
    this.#access = access
    this.file = file
    this.#patience = patienceMs
    this.#announcing = announcing
    this.#lock = beside ? beside.#lock : new Turns()
    this.#turns = {
      ...{ file, connection: this.#connection, lock: this.#lock, keepsLock: beside !== undefined },
      ...{ patience: patienceMs, announced: (wait) => this.#announced(wait) },
    }
  }

  async acquire(): Promise<RawConnection> {
    if (this.#isClosed) throw new Error('this process has closed it')
    this.#database ??= await this.#opened()
    const connection = new SqliteConnection(this.#database, this.#turns, this.#statements)
    await connection.take(this.#patience)
    return connection
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#statements.clear()
    this.#database?.close()
    this.#database = undefined
  }

  get state(): PoolState {
    const open = this.#database ? 1 : 0
    return { most: 1, open, idle: this.#connection.taken ? 0 : open, waiting: this.#connection.waiting }
  }

  #announced<T>(wait: () => Promise<T>): Promise<T> {
    return this.#announcing(wait, () => `waiting for ${this.file}, which another process is writing to`)
  }

  async #opened(): Promise<DatabaseSync> {
    const deadline = performance.now() + this.#patience
    return this.#announced(async () => {
      for (;;) {
        try {
          return this.#access === 'write' ? open(this.file) : openToRead(this.file, this.#access)
        } catch (error) {
          if (!isBusy(error) || performance.now() > deadline) throw error
        }
        await sleep(RETRY_MS)
      }
    })
  }
}

function open(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    // SQLite gives its -wal and -shm files the mode of this file.
    closeSync(openSync(file, 'wx', 0o600))
    chmodSync(file, 0o600)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: BLOCKING_WAIT_MS })
  try {
    database.exec('pragma journal_mode = wal')
    // With WAL alone, a power failure would lose the last commits, but acknowledged ones must survive.
    database.exec('pragma synchronous = full')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

function openToRead(file: string, access: SqliteAccess): DatabaseSync {
  const url = pathToFileURL(file)
  if (access === 'read-still') url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true, timeout: BLOCKING_WAIT_MS })
}
