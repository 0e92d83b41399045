/** Fills the allow-list of a model from a file's text: CSV with a header line, or a JSON list. */
import { isStrictSerial } from '@ratafia/assertions'
import { changeUnlessDry } from '../../../change.ts'
import {
  Faults,
  ImportError,
  type ImportFormat,
  type ImportRow,
  readImportRows,
} from '../../../files/import-rows.ts'
import type { Stores } from '../../../stores.ts'
import { managedModel, type NamedModel } from '../find-model.ts'
import { showModelName } from '../model-policy.ts'
import type { AllowListEntry } from './allow-list-store.ts'

interface ImportOptions extends NamedModel {
  readonly format: ImportFormat
  /** Whether to only count what would be added. */
  readonly dryRun?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Imports the columns `serial` and `device_key_id`, one or both: a row with both allows the serial number
 * only to that key. All or nothing; entries already on the list stay. Throws `ImportError` with the lines, or
 * as `managedModel` does.
 */
export async function importAllowList(
  text: string,
  { format, dryRun = false, onProgress, ...named }: ImportOptions,
  stores: Stores,
): Promise<{ readonly entries: number; readonly added: number }> {
  const model = await managedModel(named, stores)
  const entries = readEntries(text, format, requireObtainable)
  const change = stores.changeBy(named.authority.author)
  return changeUnlessDry(dryRun, change, async ({ allowList, record }) => {
    const added = await allowList.add(model, entries, {
      at: stores.clock(),
      onProgress: (done) => onProgress?.(done, entries.length),
    })
    if (added > 0) {
      await record({ action: 'allow-list.import', subject: showModelName(model), details: { added } })
    }
    return { entries: entries.length, added }
  })
}

/** A device that proposes any other serial number is refused, so such an entry would never match. */
function requireObtainable({ serial }: AllowListEntry, place: string): void {
  if (serial === null || isStrictSerial(serial)) return
  throw new ImportError(
    `${place}: no device can get the serial number ${JSON.stringify(serial)}. Use letters and digits, with single dashes, colons and pluses between them.`,
    { column: 'serial' },
  )
}

/** Returns the entries of such a file. Throws `ImportError` with a line for each error, up to a hundred. */
export function readEntries(
  text: string,
  format: ImportFormat,
  check: (entry: AllowListEntry, place: string) => void = () => {},
): readonly AllowListEntry[] {
  const rows = readImportRows(text, { format, columns: COLUMNS, need: 'any' })
  const places = new Map<string, string>()
  const faults = new Faults()
  const entries = rows.flatMap(({ fields, place }) => {
    const read = faults.note(() => {
      const entry = entryOf(fields, place)
      check(entry, place)
      const identity = JSON.stringify([entry.serial, entry.deviceKeyId])
      const first = places.get(identity)
      if (first !== undefined) throw new ImportError(`${place}: ${first} has the same entry.`)
      places.set(identity, place)
      return entry
    })
    return read ?? []
  })
  faults.refuse()
  return entries
}

const COLUMNS = ['serial', 'device_key_id']

/** Checks the columns of one entry. Throws an `ImportError` that begins with the place. */
export function entryOf(fields: ImportRow['fields'], place: string): AllowListEntry {
  const [serial, deviceKeyId] = COLUMNS.map((column) => fields[column] || null)
  if (serial === null && deviceKeyId === null) {
    throw new ImportError(`${place}: neither "serial" nor "device_key_id" has a value.`)
  }
  if (!isNullOr(serial, /^[^/\p{C}]{1,128}$/u)) {
    throw new ImportError(
      `${place}: "serial" is not a serial number: up to 128 characters, without a slash.`,
      {
        column: 'serial',
      },
    )
  }
  if (!isNullOr(deviceKeyId, /^[A-Za-z0-9_-]{64}$/)) {
    throw new ImportError(
      `${place}: "device_key_id" is not the id of a key: 64 characters, as in device-key-sha3-384.`,
      { column: 'device_key_id' },
    )
  }
  return { serial, deviceKeyId }
}

const isNullOr = (value: unknown, pattern: RegExp): value is string | null =>
  value === null || (typeof value === 'string' && pattern.test(value))
