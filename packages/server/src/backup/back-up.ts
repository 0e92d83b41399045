/** Writes a snapshot of the whole database into a file, while nodes keep writing. */
import { createHash } from 'node:crypto'
import { invalidRequest, type RequestError } from '../errors.ts'
import { BACKUP_PURPOSE, SEAL_CHECK_PURPOSE, type Sealer } from '../keyring/sealing.ts'
import {
  type BackupRow,
  base64,
  FORMAT,
  type Header,
  LINE_BYTES,
  type TableHead,
  type Totals,
} from './backup-file.ts'
import type { Snapshot, Table, TableSize, WholeDatabaseStore } from './whole-database-store.ts'

interface BackUpDeps {
  readonly wholeDatabase: WholeDatabaseStore
  /** The installation's sealer; without it the file is not sealed. */
  readonly sealer: Sealer | undefined
  readonly release: string
  readonly madeAt: Date
}

/**
 * Passes the text of the file to `write`, which compresses and stores it as it arrives. The file is valid
 * only once this resolves. Throws {@link RequestError} for a database without tables, of a newer release or
 * with a different secret key, `Unavailable`, and any error of `write`.
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
      throw invalidRequest('The database has no tables of Ratafia, so there is nothing to back up.')
    }
    const unknown = migrations.filter((name) => !ourMigrations.includes(name))
    if (unknown.length > 0) {
      throw invalidRequest(
        `The database was migrated by a newer release (${unknown.join(', ')}), and this release does not know all of its contents. Back it up with the newer release.`,
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

/** Throws if the sealer does not fit the database. A seal under a different key would go unnoticed until a restore. */
async function requireItsSecret(snapshot: Snapshot, sealer: Sealer): Promise<void> {
  const table = snapshot.tables.find(({ name }) => name === 'seal_check')
  if (!table) return
  const at = table.columns.findIndex(({ name }) => name === 'sealed')
  for await (const rows of snapshot.pages(table, await snapshot.measure(table))) {
    for (const row of rows) {
      const sealed = row[at]
      if (sealed instanceof Uint8Array && sealer.unseal(SEAL_CHECK_PURPOSE, sealed)) continue
      throw invalidRequest(
        "The secret key is not this database's. Set RATAFIA_SECRET_KEY to the right one, or pass --unsealed for a backup without a seal, which a restore refuses by default.",
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

/**
 * Yields the text of the file, before gzip. Without `seal` the file is not sealed. Throws {@link
 * RequestError} for a row that is too large for any restore.
 */
export async function* backupText(
  header: Header,
  tables: AsyncIterable<TableHead & { readonly pages: AsyncIterable<readonly BackupRow[]> }>,
  seal?: (digest: Uint8Array) => Uint8Array,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const totals = { tables: 0, rows: 0 }
  const text = (...lines: readonly unknown[]) => {
    const chunk = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    hash.update(chunk)
    return chunk
  }
  const { release, madeAt, database, migrations } = header
  yield text({ 'ratafia-backup': FORMAT, release, made_at: madeAt, database, migrations })
  for await (const { table, columns, pages } of tables) {
    totals.tables++
    yield text({ table, columns: columns.map(({ name, kind }) => [name, kind]) })
    for await (const rows of pages) {
      totals.rows += rows.length
      const chunk = text(
        ...rows.map((row) => row.map((value) => (value instanceof Uint8Array ? base64(value) : value))),
      )
      // Pages are small, except one with a single huge row.
      if (rows.length === 1 && Buffer.byteLength(chunk) > LINE_BYTES) throw tooLong(table)
      yield chunk
    }
  }
  const digest = hash.digest()
  const sealed = seal && { seal: base64(seal(digest)) }
  yield `${JSON.stringify({ end: true, ...totals, sha256: digest.toString('hex'), ...sealed })}\n`
}

const tooLong = (table: string): RequestError =>
  invalidRequest(
    `A row of the table ${table} is larger than ${LINE_BYTES / 1024 / 1024} MiB, and no restore would accept it.`,
  )
