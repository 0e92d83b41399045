/** Reads the rows of a plain dump: from pg_dump (COPY, --inserts, --column-inserts), or from `.dump` of sqlite3. */
import { ImportError } from '../files/import-rows.ts'
import { type DumpFile, type DumpRow, type Line, linesOf } from './dump-rows.ts'
import { isWholeStatement, SqlReader, withoutEscapes } from './sql-values.ts'

/** No serial-vault has a statement this long. */
const STATEMENT_CHARACTERS = 16 * 1024 * 1024

interface Copy {
  readonly table: string
  readonly columns: readonly string[]
}

/** Skips all other tables. Throws {@link ImportError} for content that it can't read. */
export async function* readSql(file: DumpFile, tables: readonly string[]): AsyncGenerator<DumpRow> {
  const known = new Map<string, readonly string[]>()
  let copy: Copy | undefined
  let statement: Line | undefined
  for await (const line of linesOf(file.open())) {
    if (line.number === 1) refuseOthers(file, line.text)
    const text = line.text.replace(/\r$/, '')
    if (copy) {
      if (text === '\\.') copy = undefined
      else if (tables.includes(copy.table)) yield copiedRow(copy, text, placeOf(file, line))
      continue
    }
    if (statement) statement = { number: statement.number, text: `${statement.text}\n${text}` }
    else if (/^\s*(?:COPY|INSERT\s+INTO|CREATE\s+TABLE)\s/i.test(text)) statement = { ...line, text }
    else continue
    if (statement.text.length > STATEMENT_CHARACTERS) {
      throw new ImportError(`${placeOf(file, statement)}: the statement is not terminated.`)
    }
    if (!isWholeStatement(statement.text)) continue
    const place = placeOf(file, statement)
    const whole = statement.text
    statement = undefined
    if (/^\s*COPY\s/i.test(whole)) copy = copyOf(whole, place)
    else if (/^\s*CREATE/i.test(whole)) remember(whole, known)
    else yield* insertedRows(whole, place, tables, known)
  }
  if (copy || statement)
    throw new ImportError(`${file.name} ends in the middle of a table. Check that the file is complete.`)
}

const placeOf = ({ name }: DumpFile, { number }: Line): string => `${name}, line ${number}`

/** The beginnings of gzip, zip, bzip2 and xz files, read as UTF-8. */
const COMPRESSED = ['\u001f\ufffd', 'PK\u0003', 'BZh', '\ufffd7zXZ']

function refuseOthers({ name }: DumpFile, first: string): void {
  const advice = first.startsWith('PGDMP')
    ? 'is a dump in the custom format: `pg_restore --file dump.sql FILE` converts it to SQL'
    : first.startsWith('SQLite format 3')
      ? 'is a database: `sqlite3 FILE .dump` converts it to SQL'
      : COMPRESSED.some((beginning) => first.startsWith(beginning))
        ? 'is compressed: decompress it first'
        : undefined
  if (advice) throw new ImportError(`${name} ${advice}.`)
}

function copyOf(statement: string, place: string): Copy {
  const reader = new SqlReader(statement)
  reader.take(/\s*COPY\s+/iy)
  const table = reader.table()
  const columns = reader.columns()
  if (table === undefined || !columns || !/^\s*FROM\s+stdin\s*;/i.test(reader.rest)) {
    throw new ImportError(`${place}: this COPY was not written by pg_dump.`)
  }
  return { table, columns }
}

function copiedRow({ table, columns }: Copy, text: string, place: string): DumpRow {
  const values = text.split('\t').map((value) => (value === '\\N' ? null : withoutEscapes(value)))
  return rowOf(table, columns, values, place)
}

function* insertedRows(
  statement: string,
  place: string,
  tables: readonly string[],
  known: ReadonlyMap<string, readonly string[]>,
): Generator<DumpRow> {
  const reader = new SqlReader(statement)
  reader.take(/\s*INSERT\s+INTO\s+/iy)
  const table = reader.table()
  if (table === undefined || !tables.includes(table)) return
  const columns = reader.columns() ?? known.get(table)
  if (!columns) {
    throw new ImportError(
      `${place}: the columns of ${table} are not named. Dump with --column-inserts, or with the definitions of the tables.`,
    )
  }
  reader.take(/\s*OVERRIDING\s+SYSTEM\s+VALUE/iy)
  if (reader.take(/\s*VALUES\s*/iy) === undefined)
    throw new ImportError(`${place}: this INSERT has no VALUES.`)
  do {
    const values = reader.values()
    if (!values) throw new ImportError(`${place}: these values of ${table} cannot be read.`)
    yield rowOf(table, columns, values, place)
  } while (reader.sign(','))
}

function rowOf(
  table: string,
  columns: readonly string[],
  values: readonly (string | null)[],
  place: string,
): DumpRow {
  if (values.length !== columns.length) {
    throw new ImportError(`${place}: ${values.length} values for the ${columns.length} columns of ${table}.`)
  }
  const fields = Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]))
  return { table, place, fields }
}

const NO_COLUMN = /^(?:constraint|primary|unique|foreign|check|exclude|like)$/

/** Remembers the columns of a table, for INSERTs that don't name them. */
function remember(statement: string, known: Map<string, readonly string[]>): void {
  const reader = new SqlReader(statement)
  reader.take(/\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?/iy)
  const table = reader.table()
  if (table === undefined || !reader.sign('(')) return
  const columns: string[] = []
  for (;;) {
    const name = reader.name()
    if (name === undefined) break
    if (!NO_COLUMN.test(name)) columns.push(name)
    // Skips the type and the rest: parentheses can nest once, as in `check (length(x) > 0)`.
    reader.take(/(?:[^,()']|'(?:[^']|'')*'|\((?:[^()]|\([^()]*\))*\))*/y)
    if (!reader.sign(',')) break
  }
  known.set(table, columns)
}
