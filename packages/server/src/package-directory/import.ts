/** Imports packages into the directory from a file: CSV with a header line, or a JSON list. Or counts the changes. */
import { type Authority, requireForAll } from '../authority.ts'
import {
  Faults,
  ImportError,
  type ImportFormat,
  type ImportRow,
  readImportRows,
} from '../files/import-rows.ts'
import type { Stores, TransactionStores } from '../stores.ts'
import { listPackages } from './list.ts'
import type { PackageEntry } from './package-store.ts'

const COLUMNS = ['name', 'snap_id']

export interface ImportOptions {
  readonly format: ImportFormat
  /** Whether to remove entries that are not in the file. */
  readonly replaceAll: boolean
  readonly authority: Authority
  readonly onProgress?: (done: number, total: number) => void
}

/** Imports all entries or none, and returns their number. Throws `permission-denied` and {@link ImportError}. */
export async function importPackages(
  text: string,
  { format, replaceAll, authority, onProgress }: ImportOptions,
  { changeBy }: Stores,
): Promise<{ readonly imported: number }> {
  requireForAll(authority, 'roles:manage')
  const entries = readPackages(text, format)
  return changeBy(authority.author)(async ({ packages, record }) => {
    await packages.import(entries, { replaceAll, onProgress: (done) => onProgress?.(done, entries.length) })
    const details = { imported: entries.length, 'replace-all': replaceAll }
    await record({ action: 'packages.import', subject: 'packages', details })
    return { imported: entries.length }
  })
}

/** Throws {@link ImportError}. */
function readPackages(text: string, format: ImportOptions['format']): readonly PackageEntry[] {
  const faults = new Faults()
  const rows = readImportRows(text, { format, columns: COLUMNS, need: 'all' }).flatMap(
    (row) => faults.note(() => checkRow(row)) ?? [],
  )
  noteRepeats(rows, faults, 'name', ({ name }) => name)
  noteRepeats(rows, faults, 'snap_id', ({ snapId }) => snapId)
  faults.refuse()
  return rows.map(({ entry }) => entry)
}

/** The form of the store's names and ids, generously: visible ASCII without quotes. */
const PLAIN = /^[A-Za-z0-9._+-]{1,128}$/

interface CheckedRow {
  readonly place: string
  readonly entry: PackageEntry
}

function checkRow({ place, fields }: ImportRow): CheckedRow {
  const { name, snap_id: snapId } = fields
  if (typeof name !== 'string' || !PLAIN.test(name)) {
    throw new ImportError(
      `${place}: "name" is missing or not a package name. The columns are name and snap_id.`,
      { column: 'name' },
    )
  }
  if (typeof snapId !== 'string' || !PLAIN.test(snapId)) {
    throw new ImportError(
      `${place}: "snap_id" is missing or not a snap id. The columns are name and snap_id.`,
      { column: 'snap_id' },
    )
  }
  return { place, entry: { name, snapId } }
}

function noteRepeats(
  rows: readonly CheckedRow[],
  faults: Faults,
  column: string,
  pick: (entry: PackageEntry) => string,
): void {
  const places = new Map<string, string>()
  for (const { place, entry } of rows) {
    const value = pick(entry)
    const first = places.get(value)
    if (first === undefined) places.set(value, place)
    else {
      faults.note(() => {
        throw new ImportError(`${place}: the ${column} ${JSON.stringify(value)} is also at ${first}.`, {
          column,
        })
      })
    }
  }
}

export interface ImportPlan {
  readonly added: number
  /** Packages with another snap id, and snap ids with a different name. */
  readonly changed: number
  readonly removed: number
  readonly unchanged: number
}

/** Changes nothing. Throws `permission-denied`, like the import, and `ImportError`. */
export async function planImport(
  text: string,
  { format, replaceAll, authority }: Pick<ImportOptions, 'format' | 'replaceAll' | 'authority'>,
  stores: TransactionStores,
): Promise<ImportPlan> {
  requireForAll(authority, 'roles:manage')
  const entries = readPackages(text, format)
  const byName = new Map(entries.map(({ name, snapId }) => [name, snapId]))
  const byId = new Map(entries.map(({ name, snapId }) => [snapId, name]))
  let present = 0
  let unchanged = 0
  let met = 0
  const changed = new Set<string>()
  for await (const { name, snapId } of listPackages(stores)) {
    present += 1
    if (byName.get(name) === snapId) {
      unchanged += 1
      continue
    }
    // A row of the file replaces up to two packages: the one with its name, and the one with its id.
    const replacements = [byName.has(name) ? name : undefined, byId.get(snapId)].filter(
      (each) => each !== undefined,
    )
    if (replacements.length > 0) met += 1
    for (const each of replacements) changed.add(each)
  }
  return {
    added: entries.length - unchanged - changed.size,
    changed: changed.size,
    removed: Math.max(0, met - changed.size) + (replaceAll ? present - unchanged - met : 0),
    unchanged,
  }
}
