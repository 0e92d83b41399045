/** Reads the rows of an imported file: CSV with a header line, or a JSON list of objects. */
import { parse as parseCsv } from 'csv-parse/sync'
import { columnNames, csvShape, plainCell } from './csv-shape.ts'
import { csvFault, jsonFault, linesFault } from './import-limits.ts'

/** One error in a file. */
export interface ImportFault {
  /** The line, from 1, in a file with lines. */
  readonly line: number | null
  /** The item, from 1, in a JSON list. */
  readonly item: number | null
  /** The column's name; null if the error concerns the row or the file. */
  readonly column: string | null
  /** The message, without the place. */
  readonly message: string
}

/** Thrown for a malformed file. The message names the place. Nothing was imported. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
  /** The errors, in the order of the file. */
  readonly faults: readonly ImportFault[]

  /** `column` is the column with the error. Or pass `faults`, with a line in the message for each. */
  constructor(
    message: string,
    {
      column = null,
      faults,
    }: { readonly column?: string | null; readonly faults?: readonly ImportFault[] } = {},
  ) {
    super(message)
    this.faults = faults ?? [faultIn(message, column)]
  }
}

function faultIn(message: string, column: string | null): ImportFault {
  const [, kind, number, rest = message] = /^(line|item) (\d+): (.*)$/s.exec(message) ?? []
  return {
    line: kind === 'line' ? Number(number) : null,
    item: kind === 'item' ? Number(number) : null,
    column,
    message: rest.replace(` ${NOTHING}`, ''),
  }
}

/** The maximum number of errors that are reported for one file. */
const MOST_FAULTS = 100
const NOTHING = 'Nothing was imported.'

/** Collects the errors in a file, so that its author can correct them all at once. */
export class Faults {
  readonly #errors: ImportError[] = []

  get any(): boolean {
    return this.#errors.length > 0
  }

  /** Returns undefined for work that throws an {@link ImportError}. Throws once there are {@link MOST_FAULTS}. */
  note<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#add(error)
      return undefined
    }
  }

  /** Does the same as `note`, for asynchronous work. */
  async noteLater<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#add(error)
      return undefined
    }
  }

  /** Throws {@link ImportError} with a line for each error, if there are any. */
  refuse(): void {
    const [first, ...more] = this.#errors
    if (first === undefined) return
    if (more.length === 0) throw first
    // The register is asked about some rows while others are read, so sort by place.
    const errors = this.#errors.toSorted((one, other) => placeOf(one) - placeOf(other))
    const lines = errors.map(({ message }) => message.replace(` ${NOTHING}`, ''))
    const last = lines.length === MOST_FAULTS ? `There may be more. ${NOTHING}` : NOTHING
    throw new ImportError([...lines, last].join('\n'), { faults: errors.flatMap(({ faults }) => faults) })
  }

  #add(error: unknown): void {
    if (!(error instanceof ImportError)) throw error
    this.#errors.push(error)
    if (this.#errors.length === MOST_FAULTS) this.refuse()
  }
}

const placeOf = ({ faults: [fault] }: ImportError): number => fault?.line ?? fault?.item ?? 0

const MOST_CHARACTERS = 300

/** Returns a parser's message on one line and shortened, because it quotes the file. */
export function parserSays(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const line = message.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line
}

export interface ImportRow {
  /** The row's place for messages: `line 3` or `item 2`. */
  readonly place: string
  /** The fields as in the file, unchecked. From CSV they are limited to the wanted columns. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** `ndjson` has an object in each line. */
const IMPORT_FORMATS = ['csv', 'json', 'ndjson'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

export interface ImportForm {
  readonly format: ImportFormat
  readonly columns: readonly string[]
  /** Whether CSV must have all of the columns or at least one. Other columns are ignored. */
  readonly need: 'all' | 'any'
}

/** Reads all rows. Throws {@link ImportError}. */
export function readImportRows(text: string, form: ImportForm): readonly ImportRow[] {
  if (form.format === 'csv') return readCsv(text, form)
  return form.format === 'json' ? readJson(text, form) : readLines(text)
}

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

const refused = (fault: string) => new ImportError(fault)

function readCsv(text: string, { columns, need }: ImportForm): readonly ImportRow[] {
  const shape = csvShape(text.replace(/^\ufeff/, ''), refused)
  refuseFault(csvFault(text, shape.delimiter))
  let records: readonly CsvRecord[]
  try {
    const options = { bom: true, skip_empty_lines: true, trim: true, info: true } as const
    // Below a table, spreadsheets leave lines with only separators.
    const parsed: unknown = parseCsv(text, { ...options, ...shape, skip_records_with_empty_values: true })
    // This is the shape of a record with `info: true`, which the package's types don't declare.
    records = parsed as readonly CsvRecord[]
  } catch (error) {
    throw new ImportError(`The file is not CSV: ${parserSays(error)}`)
  }
  const [header, ...rest] = records
  const names = columnNames(header?.record ?? [], refused)
  const found = columns.filter((column) => names.includes(column))
  if (found.length < (need === 'all' ? columns.length : 1)) {
    const wanted =
      need === 'all'
        ? `the columns ${columns.join(' and ')}`
        : `the columns ${columns.join(', ')} or one of them`
    const has = parserSays(names.map((name) => JSON.stringify(name)).join(', '))
    throw new ImportError(
      `line 1: this is not a header line with ${wanted}.${names.length === 0 ? '' : ` It has ${has}.`}`,
    )
  }
  return rest.map(({ record, info }) => ({
    place: `line ${info.lines}`,
    fields: Object.fromEntries(found.map((column) => [column, plain(record[names.indexOf(column)])])),
  }))
}

/** Returns a cell as it was before an export guarded it. */
const plain = (cell: string | undefined) => cell && plainCell(cell)

/** Throws {@link ImportError} if a check of the limits failed. `where` is the beginning of the message. */
export function refuseFault(fault: string | undefined, where = ''): void {
  if (fault !== undefined) throw new ImportError(`${where}${fault}`)
}

function readLines(text: string): readonly ImportRow[] {
  refuseFault(linesFault(text))
  return text.split('\n').flatMap((line, index) => rowInLine(line, index + 1) ?? [])
}

/** Returns the row in a line; undefined for an empty line. Throws {@link ImportError}. */
export function rowInLine(line: string, number: number): ImportRow | undefined {
  if (line.trim() === '') return undefined
  const place = `line ${number}`
  return { place, fields: objectIn(line, place) }
}

/** Parses a JSON object. Throws {@link ImportError}. */
export function objectIn(text: string, place: string): ImportRow['fields'] {
  refuseFault(jsonFault(text), `${place}: `)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ImportError(`${place}: this is not JSON: ${parserSays(error)}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new ImportError(`${place}: this is not an object.`)
}

function readJson(text: string, { columns }: ImportForm): readonly ImportRow[] {
  refuseFault(jsonFault(text), 'The file is not a list of rows: ')
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw new ImportError(`The file is not JSON: ${parserSays(error)}`)
  }
  if (!Array.isArray(list)) {
    throw new ImportError(
      `The file is not a JSON list of {${columns.map((column) => `"${column}": …`).join(', ')}}.`,
    )
  }
  return list.map((value: unknown, index) => ({
    place: `item ${index + 1}`,
    fields: typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {},
  }))
}
