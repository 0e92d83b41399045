/**
 * The file of a backup: the same for both databases, so that it is also the way from one to the other. It is gzip, and
 * in it lines of JSON, one after the other, so that neither side needs more memory than some rows take:
 *
 *   {"ratafia-backup":1,"release":…,"made_at":…,"database":"sqlite"|"postgres","migrations":[…]}
 *   {"table":"account","columns":[["id","text"],["created_at","integer"],…]}     then its rows, by primary key:
 *   ["…",1795213007995,null,…]                                                  bytes in base64
 *   {"table":…}                                                                 in an order that foreign keys allow
 *   {"end":true,"tables":24,"rows":1234,"sha256":"…"}                           of all bytes before this line
 *
 * What is sealed in the database is sealed here. The last line tells a whole file from one that was cut short.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ImportError } from '../import-rows.ts'

export const FORMAT = 1

export type Value = string | number | Uint8Array | null
export type Row = readonly Value[]
type Kind = 'text' | 'integer' | 'bytes' | 'real'

export interface Header {
  readonly release: string
  /** ISO 8601. */
  readonly madeAt: string
  readonly database: string
  readonly migrations: readonly string[]
}

export interface TableHead {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly kind: Kind }[]
}

export interface Totals {
  readonly tables: number
  readonly rows: number
}

/** The text of the file, before gzip. `rows` of a table come in pages. */
export async function* backupText(
  header: Header,
  tables: AsyncIterable<TableHead & { readonly pages: AsyncIterable<readonly Row[]> }>,
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
      yield text(
        ...rows.map((row) => row.map((value) => (value instanceof Uint8Array ? base64(value) : value))),
      )
    }
  }
  yield `${JSON.stringify({ end: true, ...totals, sha256: hash.digest('hex') })}\n`
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** What reading comes across, in this order: a header; each table, then its rows; nothing when it ends well. */
export interface BackupReader {
  header(header: Header): Promise<void>
  table(head: TableHead): Promise<void>
  rows(rows: readonly Row[]): Promise<void>
}

const PAGE = 500
/** No row of ours is near it. */
const LINE_BYTES = 64 * 1024 * 1024

/**
 * Reads a whole file and resolves to what it held. What it hands on is checked in form; whether the file is whole is
 * known at the end: until then nothing may be relied on. Throws {@link ImportError}.
 */
export async function readBackup(source: AsyncIterable<Uint8Array>, reader: BackupReader): Promise<Totals> {
  const hash = createHash('sha256')
  const totals = { tables: 0, rows: 0 }
  let columns: TableHead['columns'] | undefined
  let page: Row[] = []
  let line = 0
  let ended = false
  const flush = async () => {
    if (page.length > 0) await reader.rows(page)
    page = []
  }
  for await (const bytes of linesOf(source)) {
    line++
    if (ended) throw damaged(`line ${line} comes after the last one`)
    const value = parse(bytes, line)
    if (line === 1) {
      await reader.header(headerOf(value))
    } else if (Array.isArray(value)) {
      if (!columns) throw damaged(`line ${line} is a row of no table`)
      page.push(rowOf(value, columns, line))
      totals.rows++
      if (page.length === PAGE) await flush()
    } else if (isObject(value) && value['end'] === true) {
      await flush()
      if (value['sha256'] !== hash.digest('hex')) throw damaged('its checksum is another')
      if (value['rows'] !== totals.rows || value['tables'] !== totals.tables)
        throw damaged('rows are missing')
      ended = true
      continue
    } else {
      await flush()
      const head = tableOf(value, line)
      columns = head.columns
      totals.tables++
      await reader.table(head)
    }
    hash.update(bytes).update('\n')
  }
  if (!ended) throw damaged('it is cut short')
  return totals
}

const damaged = (what: string): ImportError =>
  new ImportError(`The file is damaged, or no backup: ${what}. Nothing was restored.`)

async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const piped = pipeline(Readable.from(source), gunzip)
  // Awaited below; until then it must not count as unhandled.
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

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

function headerOf(value: unknown): Header {
  if (!isObject(value) || typeof value['ratafia-backup'] !== 'number') throw damaged('line 1 is no header')
  if (value['ratafia-backup'] !== FORMAT) {
    throw new ImportError(
      `The file has the format ${value['ratafia-backup']}, and this release reads ${FORMAT}: restore it with the release that made it (${String(value['release'])}).`,
    )
  }
  const { release, made_at: madeAt, database, migrations } = value
  if (typeof release !== 'string' || typeof madeAt !== 'string' || typeof database !== 'string') {
    throw damaged('line 1 is no header')
  }
  if (!isTexts(migrations)) throw damaged('line 1 is no header')
  return { release, madeAt, database, migrations }
}

const KINDS: ReadonlySet<unknown> = new Set<Kind>(['text', 'integer', 'bytes', 'real'])

function tableOf(value: unknown, line: number): TableHead {
  if (!isObject(value)) throw damaged(`line ${line} is no table`)
  const { table, columns } = value
  if (typeof table !== 'string' || !Array.isArray(columns)) throw damaged(`line ${line} is no table`)
  return {
    table,
    columns: columns.map((column: unknown) => {
      if (!isTexts(column) || column.length !== 2 || !KINDS.has(column[1])) {
        throw damaged(`line ${line} is no table`)
      }
      // What stands in KINDS is one.
      return { name: column[0] ?? '', kind: column[1] as Kind }
    }),
  }
}

function rowOf(values: readonly unknown[], columns: TableHead['columns'], line: number): Row {
  if (values.length !== columns.length) throw damaged(`line ${line} has ${values.length} values`)
  return values.map((value, index) => {
    const kind = columns[index]?.kind
    if (value === null) return null
    if (kind === 'text' && typeof value === 'string') return value
    if (kind === 'bytes' && typeof value === 'string') return Buffer.from(value, 'base64')
    if (kind === 'integer' && Number.isSafeInteger(value)) return value as number
    if (kind === 'real' && typeof value === 'number') return value
    throw damaged(`line ${line} has a value that is no ${kind}`)
  })
}
