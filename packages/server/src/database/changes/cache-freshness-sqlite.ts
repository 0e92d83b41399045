/**
 * When a process can use its caches on SQLite. The triggers of `0001-schema/announcements.ts` write each change that
 * takes something away into the table `recent_change`, in its own transaction. A separate connection, the watcher, asks
 * SQLite at each look whether another connection has committed anything (`pragma data_version`), and reads the new rows
 * only then. To the watcher, this process is one of many that write to the file, so it reads all changes alike, each as
 * soon as it is committed. A look costs 1.2 µs, so every request gets its own, made after it arrived.
 *
 * The watcher counts only once it has read a row written through the connection of the statements: if the
 * file was replaced in between, the two have different files open. Later both keep their file, as SQLite
 * does. After any failure the process forgets everything and starts over.
 */
import { randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type CacheFreshness, ChangeSubscribers } from './cache-freshness.ts'
import { type ChangeKind, changeOf } from './row-change.ts'
import type { FindUnannounced } from './tables-without-triggers.ts'

/** How soon a change is read, and a failed start retried, while nothing uses a cache. */
const LOOK_MS = 200

/** The watcher, and how far it has read. */
interface Watch {
  readonly file: DatabaseSync
  /** Returns one number, which changes when another connection has committed. */
  readonly version: StatementSync
  /** Returns `seq`, `kind` and `id` of the rows from a `seq` on. */
  readonly rows: StatementSync
  readVersion: SQLOutputValue | undefined
  /** The `seq` of the newest row that was read. */
  readSeq: number
}

export class SqliteCacheFreshness extends ChangeSubscribers implements CacheFreshness {
  readonly #database: Pick<Database, 'query'>
  readonly #path: string
  readonly #findUnannounced: FindUnannounced
  readonly #timer: NodeJS.Timeout
  #watch: Watch | undefined
  #beginning: Promise<void> | undefined
  #isClosed = false

  /** `path` must be the file that `database` has open. */
  constructor(database: Pick<Database, 'query'>, path: string, findUnannounced: FindUnannounced) {
    super()
    this.#database = database
    this.#path = path
    this.#findUnannounced = findUnannounced
    this.#timer = setInterval(() => this.#tick(), LOOK_MS).unref()
    this.#tick()
  }

  current(...kinds: readonly ChangeKind[]): boolean {
    const watch = this.#watch
    if (!watch) return false
    try {
      return this.#look(watch) && this.allAnnounced(kinds)
    } catch {
      return this.#lose(watch)
    }
  }

  lag(): number {
    return this.current() ? 0 : Number.POSITIVE_INFINITY
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#beginning
    if (this.#watch) this.#lose(this.#watch)
  }

  #tick(): void {
    if (this.current()) return
    this.#beginning ??= this.#begin()
      // On any error, the next tick tries again; until then nothing is cached.
      .catch(() => {})
      .finally(() => {
        this.#beginning = undefined
      })
  }

  async #begin(): Promise<void> {
    const own = randomBytes(12).toString('hex')
    const file = new DatabaseSync(this.#path, { readOnly: true })
    try {
      // Other processes do not know this kind and forget what they cache. It happens only when a process starts.
      await sql`insert into recent_change (kind, id) values ('watcher', ${own})`.execute(this.#database.query)
      const unannounced = await this.#findUnannounced()
      const written = file.prepare('select seq from recent_change where id = ?').get(own)
      if (!written || this.#isClosed) throw new Error('The watcher does not see what the statements write.')
      const version = file.prepare('pragma data_version')
      // An array is a third faster than an object.
      version.setReturnArrays(true)
      const rows = file.prepare('select seq, kind, id from recent_change where seq >= ? order by seq')
      this.setUnannounced(unannounced)
      this.#watch = { file, version, rows, readVersion: undefined, readSeq: Number(written['seq']) }
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Reads new changes. Returns whether the watcher is still intact. */
  #look(watch: Watch): boolean {
    // Read the version before the rows: a commit between the two is read now or at the next check.
    const version = watch.version.get()?.[0]
    if (version === watch.readVersion) return true
    const [last, ...more] = watch.rows.all(watch.readSeq)
    // The newest row is only removed together with many newer ones that were not read.
    if (last?.['seq'] !== watch.readSeq) return this.#lose(watch)
    watch.readVersion = version
    for (const { seq, kind, id } of more) {
      watch.readSeq = Number(seq)
      this.tell(changeOf(kind, id))
    }
    return true
  }

  #lose(watch: Watch): false {
    this.#watch = undefined
    watch.file.close()
    this.tell()
    return false
  }
}
