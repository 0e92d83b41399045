/** Restores the rows of a backup into a database of either kind: all of them, or none. */
import type { DirectAuthority } from '../authority.ts'
import { invalidRequest, type RequestError } from '../errors.ts'
import { ImportError } from '../files/import-rows.ts'
import { BACKUP_PURPOSE, SEAL_CHECK_PURPOSE, type Sealer } from '../keyring/sealing.ts'
import type { Ending, Header, TableHead, Totals } from './backup-file.ts'
import { readBackup } from './read-backup.ts'
import type { Replacement, WholeDatabaseStore } from './whole-database-store.ts'

export interface RestoreRequest {
  /** Returns the bytes of the file from the beginning at each call. */
  readonly open: () => AsyncIterable<Uint8Array>
  /** Deletes the contents of the database first. */
  readonly replace: boolean
  /** Accepts a file without a seal, which could be from anyone. */
  readonly unsealed: boolean
  /** Revokes the token sessions opened since then. */
  readonly revokeSessionsSince: Date | undefined
}

export interface Restored extends Totals {
  readonly madeAt: string
  readonly database: string
  readonly revokedSessions: number
  /**
   * Names of sealed values that do not open although others do. They were damaged before the backup, or are
   * sealed under a key that is not configured.
   */
  readonly unreadable: readonly string[]
}

interface RestoreDeps {
  readonly wholeDatabase: WholeDatabaseStore
  readonly sealer: Sealer
  readonly now: Date
  /** The author of the revocations. The roles in the database don't count yet. */
  readonly authority: DirectAuthority
}

/**
 * Creates the backup's schema, inserts its rows, and then brings the schema up to date, so that it can restore a backup
 * of an older release. Throws {@link RequestError} for a database that is not empty, and for a backup that is sealed
 * under a different secret key, was changed, or has no seal. Throws {@link ImportError} for a file that is incomplete,
 * not a backup, or from a newer release. In these cases no row is changed.
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
        // This also clears what `ratafia migrate` wrote in a new database.
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

/** Reads the whole file without changing anything. Only a restore checks the seal. Throws {@link ImportError}. */
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
    `The database is not empty: the table ${occupied} has rows. Restore into a new database, or pass --replace to delete everything in this one first.`,
  )
}

const unknownTable = ({ table }: TableHead, column?: string): ImportError =>
  new ImportError(
    `The file has ${column === undefined ? `a table ${table}` : `a column ${table}.${column}`}, which is not in the schema of its release. Nothing was restored.`,
  )

/** Throws unless the schema is that of this or an earlier release. */
function requireKnownSchema({ release, migrations }: Header, ours: readonly string[]): void {
  const known = new Set(ours)
  const unknown = migrations.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new ImportError(
      `The file was made by a newer release (${release}, with ${unknown.join(', ')}): restore it with that release. Nothing was restored.`,
    )
  }
  const done = new Set(migrations)
  // Each migration builds on all earlier ones.
  if (migrations.length === 0 || ours.slice(0, done.size).some((name) => !done.has(name))) {
    throw new ImportError("The file's schema does not match any release. Nothing was restored.")
  }
}

/** Throws if the database's schema is newer, because rows must be inserted into their own schema before an upgrade. */
function requireNotNewer(there: readonly string[], { release, migrations }: Header): void {
  const newer = there.filter((name) => !migrations.includes(name))
  if (newer.length === 0) return
  throw invalidRequest(
    `The backup was made by an older release (${release}), but the database has the schema of a newer one (${newer.join(', ')}). Restore into a database without tables; its schema is brought up to date afterwards. Nothing was restored.`,
  )
}

/**
 * Throws unless the seal is valid. Otherwise anyone who can write to the stored backups could remove
 * revocations from one. Call it after {@link requireOurSecret}, which reports a wrong secret key as such.
 */
function requireSeal({ digest, seal }: Ending, unsealed: boolean, sealer: Sealer): void {
  if (!seal && unsealed) return
  if (!seal) {
    throw invalidRequest(
      'The backup has no seal: it was made without the secret key, or was changed. If you are certain that it could not have been changed, pass --unsealed. Nothing was restored.',
    )
  }
  if (sealer.unseal(BACKUP_PURPOSE, seal)?.equals(digest)) return
  throw invalidRequest(
    'The seal of the backup does not match: the file was changed, or it was sealed while the secret key was being changed and also needs the other key (RATAFIA_PREVIOUS_SECRET_KEY). Nothing was restored.',
  )
}

/**
 * Throws for a wrong secret key. Without the right one the database would be useless, and only the next start
 * would show it. Returns the names of values that still do not open.
 */
async function requireOurSecret({ sealed }: Replacement, sealer: Sealer): Promise<readonly string[]> {
  const values = await sealed.all()
  const unreadable = values.filter((value) => sealer.unseal(value.purpose, value.sealed) === undefined)
  const check = values.find(({ purpose }) => purpose === SEAL_CHECK_PURPOSE)
  // Without a seal check, as in a hand-written file, judge by the other values.
  if (check ? !unreadable.includes(check) : unreadable.length === 0) return unreadable.map(({ name }) => name)
  throw invalidRequest(
    'The backup is sealed under a different secret key. Set RATAFIA_SECRET_KEY to the key from that time or, if it already has a newer key, RATAFIA_PREVIOUS_SECRET_KEY. Nothing was restored.',
  )
}
