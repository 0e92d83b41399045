/**
 * When a process may use its caches on SQLite. The triggers of `0001-schema/announcements.ts` write each change that takes something
 * away into the table `recent_change`, in its own transaction. A separate connection, the watcher, asks SQLite at each
 * look whether another connection has committed anything (`pragma data_version`), and only then reads what is new. For
 * the watcher this process is one of many that write to the file, so it reads all changes in one way, and each as soon
 * as it is committed: a look costs 1.2 µs, so none is saved, and no request is answered from a look made before it
 * arrived.
 *
 * The watcher counts only once it has read a row that was written through the connection of the statements: if the file
 * was replaced in between, the two have different ones. Later on both keep the file that they have, as SQLite does. Any
 * failure makes the process forget everything and start over.
 */
import { randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type CacheFreshness, ChangeSubscribers } from './cache-freshness.ts'
import { type ChangeKind, changeOf } from './row-change.ts'
import type { FindUnannounced } from './tables-without-triggers.ts'

/** How soon a change is read, and a failed start repeated, while nothing uses a cache. */
const LOOK_MS = 200

/** The watcher, and how far it has read. */
interface Watch {
  readonly file: DatabaseSync
  /** One number, which changes when another connection has committed. */
  readonly version: StatementSync
  /** `seq`, `kind` and `id` of the rows from a `seq` on. */
  readonly rows: StatementSync
  readVersion: SQLOutputValue | undefined
  /** The newest row that was read. */
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

  /** `path` of the file that `database` has open. */
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
      // Whatever it is, the next tick tries again; until then nothing is remembered.
      .catch(() => {})
      .finally(() => {
        this.#beginning = undefined
      })
  }

  async #begin(): Promise<void> {
    const own = randomBytes(12).toString('hex')
    const file = new DatabaseSync(this.#path, { readOnly: true })
    try {
      // The others do not know this kind, and forget what they remember: it happens when a process starts.
      await sql`insert into recent_change (kind, id) values ('watcher', ${own})`.execute(this.#database.query)
      const unannounced = await this.#findUnannounced()
      const written = file.prepare('select seq from recent_change where id = ?').get(own)
      if (!written || this.#isClosed) throw new Error('The watcher does not see what the statements write.')
      const version = file.prepare('pragma data_version')
      // An array takes a third less time than an object.
      version.setReturnArrays(true)
      const rows = file.prepare('select seq, kind, id from recent_change where seq >= ? order by seq')
      this.setUnannounced(unannounced)
      this.#watch = { file, version, rows, readVersion: undefined, readSeq: Number(written['seq']) }
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Reads what is new. */
  #look(watch: Watch): boolean {
    // Before the rows: what is committed between the two is read now, or at the next look.
    const version = watch.version.get()?.[0]
    if (version === watch.readVersion) return true
    const [last, ...more] = watch.rows.all(watch.readSeq)
    // The newest row is never removed, except together with many newer ones that were not read.
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
