/** Writes the whole database into a file, as it is at one moment, while nodes keep writing. */
import { invalidRequest, type RequestError } from '../errors.ts'
import type { Sealer } from '../keyring/sealing.ts'
import { BACKUP_PURPOSE, SEAL_CHECK_PURPOSE } from '../keyring/sealing-purposes.ts'
import type { Totals } from './backup-file.ts'
import type { Snapshot, Table, TableSize, WholeDatabaseStore } from './whole-database-store.ts'
import { backupText } from './write-backup.ts'

interface BackUpDeps {
  readonly wholeDatabase: WholeDatabaseStore
  /** Of the installation; without it the file gets no seal. */
  readonly sealer: Sealer | undefined
  readonly release: string
  readonly madeAt: Date
}

/**
 * `write` gets the text of the file, to compress and store as it is produced. What it has written is valid only once
 * this resolves. Throws {@link RequestError} for a database without tables, of a newer release or of another secret
 * key, `Unavailable`, and whatever `write` throws.
 */
export function backUp(
  {
    write,
    onProgress,
  }: {
    readonly write: (text: AsyncIterable<string>) => Promise<void>
    readonly onProgress?: (done: number, total: number) => void
  },
  { wholeDatabase, sealer, release, madeAt }: BackUpDeps,
): Promise<Totals> {
  return wholeDatabase.read(async (snapshot) => {
    const { ourMigrations, migrations, kind, tables } = snapshot
    if (migrations.length === 0) {
      throw invalidRequest('The database has no tables of Ratafia: there is nothing to back up.')
    }
    const unknown = migrations.filter((name) => !ourMigrations.includes(name))
    if (unknown.length > 0) {
      throw invalidRequest(
        `The database was migrated by a newer release (${unknown.join(', ')}), and contains what this one does not know: back it up with that one.`,
      )
    }
    if (sealer) await requireItsSecret(snapshot, sealer)
    const measured: MeasuredTable[] = []
    for (const table of tables) measured.push({ table, size: await snapshot.measure(table) })
    const total = measured.reduce((sum, { size }) => sum + size.rows, 0)
    const header = { release, madeAt: madeAt.toISOString(), database: kind, migrations }
    const contents = tablesOf(snapshot, measured, (done) => onProgress?.(done, total))
    await write(backupText(header, contents, sealer && ((digest) => sealer.seal(BACKUP_PURPOSE, digest))))
    return { tables: tables.length, rows: total }
  })
}

/** A seal under another key would show only when the backup is needed. */
async function requireItsSecret(snapshot: Snapshot, sealer: Sealer): Promise<void> {
  const table = snapshot.tables.find(({ name }) => name === 'seal_check')
  if (!table) return
  const at = table.columns.findIndex(({ name }) => name === 'sealed')
  for await (const rows of snapshot.pages(table, await snapshot.measure(table))) {
    for (const row of rows) {
      const sealed = row[at]
      if (sealed instanceof Uint8Array && sealer.unseal(SEAL_CHECK_PURPOSE, sealed)) continue
      throw invalidRequest(
        'The secret key is not the one of this database: set RATAFIA_SECRET_KEY to the right one, or give --unsealed to make a backup that a restore does not trust by itself.',
      )
    }
  }
}

interface MeasuredTable {
  readonly table: Table
  readonly size: TableSize
}

async function* tablesOf(
  snapshot: Snapshot,
  measured: readonly MeasuredTable[],
  onRows: (done: number) => void,
) {
  let done = 0
  const counted = async function* (pages: ReturnType<Snapshot['pages']>) {
    for await (const page of pages) {
      yield page
      done += page.length
      onRows(done)
    }
  }
  for (const { table, size } of measured) {
    const { name, columns } = table
    yield { table: name, columns, pages: counted(snapshot.pages(table, size)) }
  }
}
