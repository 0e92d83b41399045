/** The rows of a database as the text of a backup: see `backup-file.ts`. */
import { createHash } from 'node:crypto'
import { invalidRequest, type RequestError } from '../errors.ts'
import { type BackupRow, base64, FORMAT, type Header, LINE_BYTES, type TableHead } from './backup-file.ts'

/**
 * The text of the file, before gzip; without `seal` it ends without one. Throws {@link RequestError} for a row that no
 * restore would accept.
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
    `A row of the table ${table} takes more than ${LINE_BYTES / 1024 / 1024} MiB: no restore would accept it.`,
  )
