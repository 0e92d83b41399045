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
  const entries = (format === 'csv' ? readCsv(text) : readJson(text)).map(checkEntry)
  refuseRepeats(
    entries.map(({ name }) => name),
    'name',
  )
  refuseRepeats(
    entries.map(({ snapId }) => snapId),
    'snap_id',
  )
  await packages.import(entries, { replaceAll, onProgress: (done) => onProgress?.(done, entries.length) })
  return entries.length
}

interface Row {
  /** Where the row stands, for messages: `line 3` or `item 2`. */
  readonly place: string
  readonly value: unknown
}

function readCsv(text: string): readonly Row[] {
  let records: readonly { record: unknown; info: { lines: number } }[]
  try {
    records = parseCsv(text, { bom: true, columns: true, skip_empty_lines: true, trim: true, info: true })
  } catch (error) {
    throw new ImportError(`The file is not CSV: ${error instanceof Error ? error.message : String(error)}`)
  }
  return records.map(({ record, info }) => ({ place: `line ${info.lines}`, value: record }))
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

function checkEntry({ place, value }: Row): PackageEntry {
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
  return { name, snapId }
}

function refuseRepeats(values: readonly string[], column: string): void {
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(value))
      throw new ImportError(`The ${column} ${JSON.stringify(value)} stands in the file twice.`)
    seen.add(value)
  }
}
