/** Reads a backup file, which is hostile until it fits the rules of `backup-file.ts`. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ImportError } from '../files/import-rows.ts'
import { isObject } from '../foreign-json.ts'
import {
  type BackupRow,
  base64,
  type Ending,
  FORMAT,
  type Header,
  type Kind,
  LINE_BYTES,
  type TableHead,
  type Totals,
} from './backup-file.ts'
import { isUnreleased } from './whole-database-store.ts'

/** Receives the contents in this order: a header, then each table, followed by its rows. */
export interface BackupReader {
  header(header: Header): Promise<void>
  table(head: TableHead): Promise<void>
  rows(rows: readonly BackupRow[]): Promise<void>
}

/** Rows are passed on in pages of at most this many rows, and about this many bytes. */
const PAGE = 500
const PAGE_BYTES = 8 * 1024 * 1024
/** The maximum number of tables in a file, far more than a schema has. */
const TABLES = 1_000

/**
 * Reads a whole file and returns its totals and its end. Everything it passes on is well-formed, but only the
 * end shows whether the file is complete, so rely on nothing until this resolves. Throws {@link ImportError}.
 */
export async function readBackup(
  source: AsyncIterable<Uint8Array>,
  reader: BackupReader,
): Promise<{ readonly totals: Totals; readonly ending: Ending }> {
  const hash = createHash('sha256')
  const totals = { tables: 0, rows: 0 }
  let columns: TableHead['columns'] | undefined
  const seen = new Set<string>()
  let page: BackupRow[] = []
  let pageBytes = 0
  let line = 0
  let ending: Ending | undefined
  const flush = async () => {
    if (page.length > 0) await reader.rows(page)
    page = []
    pageBytes = 0
  }
  for await (const bytes of linesOf(source)) {
    line++
    if (ending) throw damaged(`line ${line} comes after the last one`)
    const value = parse(bytes, line)
    if (line === 1) {
      await reader.header(headerOf(value))
    } else if (Array.isArray(value)) {
      if (!columns) throw damaged(`line ${line} is a row outside a table`)
      page.push(rowOf(value, columns, line))
      pageBytes += bytes.length
      totals.rows++
      if (page.length === PAGE || pageBytes > PAGE_BYTES) await flush()
    } else if (isObject(value) && value['end'] === true) {
      await flush()
      const digest = hash.digest()
      if (value['sha256'] !== digest.toString('hex')) throw damaged('its checksum does not match')
      if (value['rows'] !== totals.rows || value['tables'] !== totals.tables)
        throw damaged('rows are missing')
      ending = { digest, seal: sealOf(value['seal']) }
      continue
    } else {
      await flush()
      const head = tableOf(value, line)
      if (seen.has(head.table)) throw damaged(`line ${line} begins a table a second time`)
      seen.add(head.table)
      if (seen.size > TABLES) throw damaged('there are too many tables')
      columns = head.columns
      totals.tables++
      await reader.table(head)
    }
    hash.update(bytes).update('\n')
  }
  if (!ending) throw damaged('it is cut short')
  return { totals, ending }
}

function sealOf(value: unknown): Buffer | undefined {
  if (value === undefined) return undefined
  const seal = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
  if (!seal || base64(seal) !== value) throw damaged('its seal is not base64')
  return seal
}

const damaged = (what: string): ImportError =>
  new ImportError(`The file is damaged, or not a backup: ${what}. Nothing was restored.`)

async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const piped = pipeline(Readable.from(source), gunzip)
  // It is awaited below; until then a rejection must not count as unhandled.
  piped.catch(() => undefined)
  try {
    const parts: Buffer[] = []
    let length = 0
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        parts.push(chunk.subarray(start, end))
        yield parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
        parts.length = 0
        length = 0
        start = end + 1
      }
      if (start < chunk.length) parts.push(chunk.subarray(start))
      length += chunk.length - start
      if (length > LINE_BYTES) throw damaged('a line is too long')
    }
    if (parts.length > 0) throw damaged('it is cut short')
    await piped
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') throw damaged('it is cut short')
    if (code?.startsWith('Z_')) throw damaged('it is not gzip, or was changed')
    throw error
  } finally {
    gunzip.destroy()
  }
}

function parse(bytes: Buffer, line: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw damaged(`line ${line} is not JSON`)
  }
}

const isText = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value)

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

// These values end up in messages on a terminal and in the audit log.
const RELEASE = /^[0-9A-Za-z.+-]{1,64}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const DATABASE = /^(sqlite|postgres)$/
const MIGRATION = /^[0-9]{4}[0-9a-z-]{0,60}$/
const NAME = /^[a-z_][a-z0-9_]{0,62}$/

function headerOf(value: unknown): Header {
  const noHeader = damaged('line 1 is not a header')
  if (!isObject(value)) throw noHeader
  const { 'ratafia-backup': format, release, made_at: madeAt, database, migrations } = value
  if (typeof format !== 'number' || !isText(release, RELEASE)) throw noHeader
  if (format !== FORMAT) {
    throw new ImportError(
      `The file has the format ${format}, but this release reads ${FORMAT}. Restore it with the release that made it (${release}).`,
    )
  }
  if (!isText(madeAt, INSTANT) || !isText(database, DATABASE) || !isTexts(migrations)) throw noHeader
  if (!migrations.every((name) => MIGRATION.test(name))) throw noHeader
  if (isUnreleased(migrations)) {
    throw new ImportError(
      'The backup was made before the first release of Ratafia, and releases cannot restore it. ' +
        'Start with a new database. Nothing was restored.',
    )
  }
  return { release, madeAt, database, migrations }
}

const KINDS: ReadonlySet<unknown> = new Set<Kind>(['text', 'integer', 'bytes', 'real'])

function tableOf(value: unknown, line: number): TableHead {
  const noTable = damaged(`line ${line} is not a table`)
  if (!isObject(value)) throw noTable
  const { table, columns } = value
  if (!isText(table, NAME) || !Array.isArray(columns) || columns.length === 0) throw noTable
  const read = columns.map((column: unknown) => {
    if (!isTexts(column) || column.length !== 2) throw noTable
    const [name, kind] = column
    if (!isText(name, NAME) || !KINDS.has(kind)) throw noTable
    // KINDS has only these values.
    return { name, kind: kind as Kind }
  })
  if (new Set(read.map(({ name }) => name)).size !== read.length) throw noTable
  return { table, columns: read }
}

function rowOf(values: readonly unknown[], columns: TableHead['columns'], line: number): BackupRow {
  if (values.length !== columns.length) throw damaged(`line ${line} has ${values.length} values`)
  return values.map((value, index) => {
    const kind = columns[index]?.kind
    if (value === null) return null
    if (kind === 'text' && typeof value === 'string') return value
    if (kind === 'bytes' && typeof value === 'string') {
      const bytes = Buffer.from(value, 'base64')
      // Node's decoder drops unknown characters, so compare.
      if (base64(bytes) === value) return bytes
    }
    if (kind === 'integer' && Number.isSafeInteger(value)) return value as number
    if (kind === 'real' && typeof value === 'number') return value
    throw damaged(`line ${line} has a value that is not of the type ${kind}`)
  })
}
