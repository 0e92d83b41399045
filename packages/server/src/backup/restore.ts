/** Puts the rows of a backup into a database of either kind: all of them, or none. */
import { RequestError } from '../errors.ts'
import { ImportError } from '../import-rows.ts'
import type { Sealer } from '../keyring/sealing.ts'
import { SEAL_CHECK_PURPOSE } from '../keyring/sealing-purposes.ts'
import { type Header, readBackup, type TableHead, type Totals } from './backup-file.ts'
import type { Replacement, WholeDatabaseStore } from './whole-database-store.ts'

export interface RestoreRequest {
  /** The bytes of the file from their beginning, each time it is called. */
  readonly open: () => AsyncIterable<Uint8Array>
  /** Deletes what the database has. */
  readonly replace: boolean
  /** Revokes the token sessions opened since then. */
  readonly revokeSessionsSince: Date | undefined
}

export interface Restored extends Totals {
  readonly madeAt: string
  readonly database: string
  readonly revokedSessions: number
}

interface RestoreDeps {
  readonly wholeDatabase: Pick<WholeDatabaseStore, 'replace'>
  readonly sealer: Sealer
  readonly now: Date
  /** Who revokes. */
  readonly by: string
}

/**
 * The schema becomes that of the backup, its rows go in, and then the schema is brought up to date: so a backup of an
 * older release can be restored. Throws {@link RequestError} for a database that is not empty, and for a backup that is
 * sealed under another secret key; {@link ImportError} for a file that is not whole or not from here; `SchemaError` for
 * one of a newer release. Nothing is changed then.
 */
export function restore(request: RestoreRequest, deps: RestoreDeps): Promise<Restored> {
  return deps.wholeDatabase.replace(async (target) => {
    await requireEmpty(target, request.replace)
    let header: Header | undefined
    let table: TableHead | undefined
    let known: ReadonlyMap<string, ReadonlySet<string>> = new Map()
    const totals = await readBackup(request.open(), {
      header: async (read) => {
        header = read
        await target.migrate(read.migrations)
        // Rows of the migrations themselves: the backup has them.
        await target.clear()
        known = new Map(
          (await target.tables()).map(({ name, columns }) => [
            name,
            new Set(columns.map((column) => column.name)),
          ]),
        )
      },
      table: async (head) => {
        const columns = known.get(head.table)
        const strange = head.columns.find(({ name }) => !columns?.has(name))
        if (!columns || strange) throw unknownTable(head, strange?.name)
        table = head
      },
      rows: async (rows) => {
        if (!table) return
        await target.insert(
          table.table,
          table.columns.map(({ name }) => name),
          rows,
        )
      },
    })
    if (!header) throw new ImportError('The file is empty.')
    await requireOurSecret(target, deps.sealer)
    await target.migrate()
    const { revokeSessionsSince: since } = request
    const revokedSessions = since ? await target.revokeTokenSessions(since, { at: deps.now, by: deps.by }) : 0
    await target.record({
      action: 'database.restore',
      subject: header.madeAt,
      details: { rows: totals.rows, 'made-on': header.database, 'revoked-sessions': revokedSessions },
    })
    return { ...totals, madeAt: header.madeAt, database: header.database, revokedSessions }
  })
}

/** Reads the whole file, and changes nothing. Throws {@link ImportError}. */
export async function checkBackup(
  open: RestoreRequest['open'],
): Promise<Totals & Pick<Restored, 'madeAt' | 'database'>> {
  let header: Header | undefined
  const totals = await readBackup(open(), {
    header: async (read) => {
      header = read
    },
    table: async () => {},
    rows: async () => {},
  })
  if (!header) throw new ImportError('The file is empty.')
  return { ...totals, madeAt: header.madeAt, database: header.database }
}

async function requireEmpty(target: Replacement, replace: boolean): Promise<void> {
  const occupied = replace ? undefined : await target.occupied()
  if (occupied === undefined) return
  throw new RequestError(
    'invalid-request',
    `The database is not empty: the table ${occupied} has rows. Restore into a new one, or give --replace to delete everything in this one first.`,
  )
}

const unknownTable = ({ table }: TableHead, column: string | undefined): ImportError =>
  new ImportError(
    `The file has ${column === undefined ? `a table ${table}` : `a column ${table}.${column}`}, which this release does not know. Nothing was restored.`,
  )

/** Without it the database could not be used, and a start beside another key would only say so later. */
async function requireOurSecret(target: Replacement, sealer: Sealer): Promise<void> {
  const sealed = await target.sealCheck()
  if (sealed === undefined || sealer.unseal(SEAL_CHECK_PURPOSE, sealed) !== undefined) return
  throw new RequestError(
    'invalid-request',
    'The backup is sealed under another secret key than the one that is set. Put the key of its time into RATAFIA_SECRET_KEY, or, with a newer one there, into RATAFIA_PREVIOUS_SECRET_KEY. Nothing was restored.',
  )
}
