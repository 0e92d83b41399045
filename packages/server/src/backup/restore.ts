/** Puts the rows of a backup into a database of either kind: all of them, or none. */
import type { DirectAuthority } from '../authority.ts'
import { invalidRequest, type RequestError } from '../errors.ts'
import { ImportError } from '../files/import-rows.ts'
import type { Sealer } from '../keyring/sealing.ts'
import { BACKUP_PURPOSE, SEAL_CHECK_PURPOSE } from '../keyring/sealing-purposes.ts'
import type { Ending, Header, TableHead, Totals } from './backup-file.ts'
import { readBackup } from './read-backup.ts'
import type { Replacement, WholeDatabaseStore } from './whole-database-store.ts'

export interface RestoreRequest {
  /** The bytes of the file from their beginning, each time it is called. */
  readonly open: () => AsyncIterable<Uint8Array>
  /** Deletes what the database contains. */
  readonly replace: boolean
  /** Takes a file without a seal too: anybody may have written it. */
  readonly unsealed: boolean
  /** Revokes the token sessions opened since then. */
  readonly revokeSessionsSince: Date | undefined
}

export interface Restored extends Totals {
  readonly madeAt: string
  readonly database: string
  readonly revokedSessions: number
  /**
   * Names of sealed values that do not open, though others do: they were damaged before the backup, or are sealed under
   * a key that is not configured.
   */
  readonly unreadable: readonly string[]
}

interface RestoreDeps {
  readonly wholeDatabase: WholeDatabaseStore
  readonly sealer: Sealer
  readonly now: Date
  /** Who revokes. The roles in the database say nothing yet. */
  readonly authority: DirectAuthority
}

/**
 * Creates the schema of the backup, inserts its rows, and then brings the schema up to date: so a backup of an older
 * release can be restored. Throws {@link RequestError} for a database that is not empty, and for a backup that is
 * sealed under another secret key, was changed, or has no seal; {@link ImportError} for a file that is not whole, not
 * from here, or of a newer release. No row is changed then.
 */
export function restore(request: RestoreRequest, deps: RestoreDeps): Promise<Restored> {
  return deps.wholeDatabase.replace(async (target) => {
    await requireEmpty(target, request.replace)
    const there = await target.migrations()
    let header: Header | undefined
    let table: TableHead | undefined
    let known: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map()
    const { totals, ending } = await readBackup(request.open(), {
      header: async (read) => {
        header = read
        requireKnownSchema(read, target.ourMigrations)
        requireNotNewer(there, read)
        await target.migrate(read.migrations)
        // Also of what `ratafia migrate` wrote in a new database.
        await target.clear()
        known = new Map(
          (await target.tables()).map(({ name, columns }) => [
            name,
            new Map(columns.map((column) => [column.name, column.kind])),
          ]),
        )
      },
      table: async (head) => {
        const columns = known.get(head.table)
        if (!columns) throw unknownTable(head)
        const strange = head.columns.find(({ name, kind }) => columns.get(name) !== kind)
        if (strange) throw unknownTable(head, strange.name)
        table = head
      },
      rows: async (rows) => {
        if (!table) return
        const columns = table.columns.map(({ name }) => name)
        const why = await target.insert(table.table, columns, rows)
        if (why !== undefined) {
          throw new ImportError(
            `The file has a row of ${table.table} that the database refuses: ${why}. Nothing was restored.`,
          )
        }
      },
    })
    if (!header) throw new ImportError('The file is empty.')
    await target.migrate()
    const unreadable = await requireOurSecret(target, deps.sealer)
    requireSeal(ending, request.unsealed, deps.sealer)
    const { revokeSessionsSince: since } = request
    const revokedSessions = since
      ? await target.revokeTokenSessions(since, { at: deps.now, by: deps.authority.by })
      : 0
    await target.record({
      action: 'database.restore',
      subject: header.madeAt,
      details: { rows: totals.rows, 'made-on': header.database, 'revoked-sessions': revokedSessions },
    })
    const { madeAt, database } = header
    return { ...totals, madeAt, database, revokedSessions, unreadable }
  })
}

/** Reads the whole file, and changes nothing; only a restore opens the seal. Throws {@link ImportError}. */
export async function checkBackup(
  open: RestoreRequest['open'],
): Promise<Totals & Pick<Restored, 'madeAt' | 'database'> & { readonly sealed: boolean }> {
  let header: Header | undefined
  const { totals, ending } = await readBackup(open(), {
    header: async (read) => {
      header = read
    },
    table: async () => {},
    rows: async () => {},
  })
  if (!header) throw new ImportError('The file is empty.')
  return { ...totals, madeAt: header.madeAt, database: header.database, sealed: ending.seal !== undefined }
}

async function requireEmpty(target: Replacement, replace: boolean): Promise<void> {
  const occupied = replace ? undefined : await target.occupied()
  if (occupied === undefined) return
  throw invalidRequest(
    `The database is not empty: the table ${occupied} has rows. Restore into a new one, or give --replace to delete everything in this one first.`,
  )
}

const unknownTable = ({ table }: TableHead, column?: string): ImportError =>
  new ImportError(
    `The file has ${column === undefined ? `a table ${table}` : `a column ${table}.${column}`}, which is not in the schema of its release. Nothing was restored.`,
  )

/** The schema must be one that this or an earlier release had. */
function requireKnownSchema({ release, migrations }: Header, ours: readonly string[]): void {
  const known = new Set(ours)
  const unknown = migrations.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new ImportError(
      `The file was made by a newer release (${release}, with ${unknown.join(', ')}): restore it with that one. Nothing was restored.`,
    )
  }
  const done = new Set(migrations)
  // Each builds on all before it.
  if (migrations.length === 0 || ours.slice(0, done.size).some((name) => !done.has(name))) {
    throw new ImportError('The schema of the file is not that of any release. Nothing was restored.')
  }
}

/** Rows of an older schema do not fit a newer one: they must be there before it is brought up to date. */
function requireNotNewer(there: readonly string[], { release, migrations }: Header): void {
  const newer = there.filter((name) => !migrations.includes(name))
  if (newer.length === 0) return
  throw invalidRequest(
    `The backup was made by an older release (${release}), and the database has the schema of a newer one (${newer.join(', ')}): restore into a database without tables, where the schema is brought up to date afterwards. Nothing was restored.`,
  )
}

/**
 * Whoever can write to where backups are kept could otherwise take revocations out of one. After
 * {@link requireOurSecret}, so that a wrong secret key has been reported as such.
 */
function requireSeal({ digest, seal }: Ending, unsealed: boolean, sealer: Sealer): void {
  if (!seal && unsealed) return
  if (!seal) {
    throw invalidRequest(
      'The backup has no seal: it was made without the secret key, or somebody changed it. If you know that nobody could, give --unsealed. Nothing was restored.',
    )
  }
  if (sealer.unseal(BACKUP_PURPOSE, seal)?.equals(digest)) return
  throw invalidRequest(
    'The seal of the backup does not match: somebody changed the file, or it was sealed while the secret key was being changed, and the other key is needed too (RATAFIA_PREVIOUS_SECRET_KEY). Nothing was restored.',
  )
}

/**
 * Without the right secret key the database would be useless, and only the next start would say so. Returns the names
 * of values that do not open even so.
 */
async function requireOurSecret({ sealed }: Replacement, sealer: Sealer): Promise<readonly string[]> {
  const values = await sealed.all()
  const unreadable = values.filter((value) => sealer.unseal(value.purpose, value.sealed) === undefined)
  const check = values.find(({ purpose }) => purpose === SEAL_CHECK_PURPOSE)
  // Without a seal check, as in a file written by hand, go by the other values.
  if (check ? !unreadable.includes(check) : unreadable.length === 0) return unreadable.map(({ name }) => name)
  throw invalidRequest(
    'The backup is sealed under a different secret key. Set RATAFIA_SECRET_KEY to the key from that time, or, if a newer one is there, RATAFIA_PREVIOUS_SECRET_KEY. Nothing was restored.',
  )
}
