/** Fills the package directory from a file's text: CSV with a header line, or a JSON list. */
import { parse as parseCsv } from 'csv-parse/sync'
import type { PackageEntry, PackageStore } from './package-store.ts'

/** The file is not what it should be; the message names the place. Nothing was imported. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

export interface ImportOptions {
  readonly format: 'csv' | 'json'
  /** Entries that are not in the file go. */
  readonly replaceAll: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/** Returns how many entries were imported: all of them, in one transaction. Throws {@link ImportError}. */
export async function importPackages(
  text: string,
  { format, replaceAll, onProgress }: ImportOptions,
  { packages }: { readonly packages: PackageStore },
): Promise<number> {
  const rows = (format === 'csv' ? readCsv(text) : readJson(text)).map(checkRow)
  refuseRepeats(rows, 'name', ({ name }) => name)
  refuseRepeats(rows, 'snap_id', ({ snapId }) => snapId)
  const entries = rows.map(({ entry }) => entry)
  await packages.import(entries, { replaceAll, onProgress: (done) => onProgress?.(done, entries.length) })
  return entries.length
}

interface Row {
  /** Where the row stands, for messages: `line 3` or `item 2`. */
  readonly place: string
  readonly value: unknown
}

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

const COLUMNS = ['name', 'snap_id']

function readCsv(text: string): readonly Row[] {
  let records: readonly CsvRecord[]
  try {
    const parsed: unknown = parseCsv(text, { bom: true, skip_empty_lines: true, trim: true, info: true })
    // What `info: true` makes of a record; the package's types do not tell.
    records = parsed as readonly CsvRecord[]
  } catch (error) {
    throw new ImportError(`The file is not CSV: ${error instanceof Error ? error.message : String(error)}`)
  }
  const [header, ...rest] = records
  const at = COLUMNS.map((column) => header?.record.indexOf(column) ?? -1)
  if (at.includes(-1)) {
    throw new ImportError('line 1: this is not a header line with the columns name and snap_id.')
  }
  return rest.map(({ record, info }) => ({
    place: `line ${info.lines}`,
    value: Object.fromEntries(COLUMNS.map((column, index) => [column, record[at[index] ?? -1]])),
  }))
}

function readJson(text: string): readonly Row[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw new ImportError(`The file is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(list)) throw new ImportError('The file is not a JSON list of {"name": …, "snap_id": …}.')
  return list.map((value: unknown, index) => ({ place: `item ${index + 1}`, value }))
}

/** Names and ids as the store has them, with room: visible ASCII, no quotes. */
const PLAIN = /^[A-Za-z0-9._+-]{1,128}$/

interface CheckedRow {
  readonly place: string
  readonly entry: PackageEntry
}

function checkRow({ place, value }: Row): CheckedRow {
  const row = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  const { name, snap_id: snapId } = row
  if (typeof name !== 'string' || !PLAIN.test(name)) {
    throw new ImportError(
      `${place}: "name" is missing or not a package name. The columns are name and snap_id.`,
    )
  }
  if (typeof snapId !== 'string' || !PLAIN.test(snapId)) {
    throw new ImportError(
      `${place}: "snap_id" is missing or not a snap id. The columns are name and snap_id.`,
    )
  }
  return { place, entry: { name, snapId } }
}

function refuseRepeats(
  rows: readonly CheckedRow[],
  column: string,
  pick: (entry: PackageEntry) => string,
): void {
  const places = new Map<string, string>()
  for (const { place, entry } of rows) {
    const value = pick(entry)
    const first = places.get(value)
    if (first !== undefined) {
      throw new ImportError(`${place}: the ${column} ${JSON.stringify(value)} stands at ${first} too.`)
    }
    places.set(value, place)
  }
}
