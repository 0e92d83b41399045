/** Fills the register from a file, exported or written by hand: all of it or nothing. */
import { type DeviceId, newDeviceId } from '@ratafia/api'
import { type Authority, type BrandScope, brandsFor, covers } from '../../authority.ts'
import { showModelName } from '../../brands/models/model-policy.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import { type ChangingBy, changeUnlessDry, type InChange } from '../../change.ts'
import { plainCell } from '../../files/csv-shape.ts'
import { Faults, ImportError, type ImportRow } from '../../files/import-rows.ts'
import { type ImportSource, streamImportRows } from '../../files/import-stream.ts'
import type { Stores } from '../../stores.ts'
import { type Device, showSerialName } from '../device.ts'
import { DEVICE_COLUMNS } from './device-columns.ts'
import { NEEDED_COLUMNS, type ReadDevice, readRecord, recordOf } from './device-record.ts'
import { type RegisterImport, type StoredDevice, TRANSFER_BATCH } from './device-transfer-store.ts'

interface InImport extends InChange {
  readonly register: RegisterImport
}

declare module '../../stores.ts' {
  interface Stores {
    /** One transaction without a time limit. */
    readonly inImport: ChangingBy<InImport>
  }
}

interface ImportOptions {
  readonly source: ImportSource
  readonly authority: Authority
  /** Accept devices of models that the service doesn't have. No device can register as one of these. */
  readonly unknownModels?: boolean
  /** Only count what would be added. */
  readonly dryRun?: boolean
  /** Gets the number of rows read. */
  readonly onProgress?: (done: number) => void
}

export interface ImportedDevices {
  readonly devices: number
  /** The number of new devices. */
  readonly added: number
}

/**
 * Imports devices. A row that is already in the register with the same values is skipped; a row without an id matches a
 * device with its key and serial. Throws `permission-denied`, and {@link ImportError}, with nothing imported, for
 * malformed rows or rows that contradict the register; it reports at most a hundred.
 */
export async function importDevices(
  { source, authority, unknownModels = false, dryRun = false, onProgress }: ImportOptions,
  { inImport, clock }: Stores,
): Promise<ImportedDevices> {
  const brands = brandsFor(authority, 'devices:manage')
  return changeUnlessDry(dryRun, inImport(authority.author), async ({ register, models, record }) => {
    const at = clock()
    const requireModel = modelCheck(models, { brands, unknownModels })
    const faults = new Faults()
    let devices = 0
    let added = 0
    const store = async (batch: readonly ReadDevice[]) => {
      for (const read of batch) await faults.noteLater(() => requireModel(read))
      // After an error, the remaining rows are only checked.
      if (!faults.any) added += await importBatch(batch, { at, faults }, register)
      devices += batch.length
      onProgress?.(devices)
    }
    await whileReading(batches(source, { at, by: authority.by }, faults), store)
    faults.refuse()
    if (added > 0) await record({ action: 'devices.import', subject: 'devices', details: { devices, added } })
    return { devices, added }
  })
}

async function* batches(
  source: ImportSource,
  decided: { readonly at: Date; readonly by: string },
  faults: Faults,
): AsyncGenerator<readonly ReadDevice[]> {
  let batch: ReadDevice[] = []
  let first = true
  for await (const row of streamImportRows(source)) {
    if (first) checkColumns(Object.keys(row.fields), row.place)
    first = false
    const plain = source.format === 'csv' ? asBefore(row) : row
    const read = faults.note(() => readRecord(plain, { newId: () => newDeviceId(decided.at), ...decided }))
    if (read) batch.push(read)
    if (batch.length < TRANSFER_BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

/**
 * Reads the next item while `work` handles the last one: the database and this process are busy at the same
 * time. An error of `work` precedes an error of reading further, as in the file.
 */
async function whileReading<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  let working = Promise.resolve()
  try {
    for await (const item of items) {
      await working
      working = work(item)
      // It can fail before anything awaits it again.
      working.catch(() => {})
    }
  } finally {
    await working
  }
}

/** Undoes the guard that the export added to cells. */
function asBefore({ place, fields }: ImportRow): ImportRow {
  const plain: Record<string, unknown> = {}
  for (const name in fields) {
    const value = fields[name]
    plain[name] = typeof value === 'string' ? plainCell(value) : value
  }
  return { place, fields: plain }
}

/**
 * Columns that identify the device, and who decided about it and when. An export has them so that a whole register can
 * be restored. An id could belong to another brand's device, and a decision could be in another user's name.
 */
const CLAIMS = [
  ...(['id', 'origin', 'registered_at', 'decided_at', 'decided_by'] as const),
  ...(['quarantined_at', 'removed_at', 'clone_evidence'] as const),
]

function isClaimed(column: (typeof CLAIMS)[number], { given, stored }: ReadDevice): boolean {
  const value = given.has(column) ? recordOf(stored)[column] : null
  return value !== null && !(column === 'origin' && value === 'import')
}

/** Looks each model up once. Throws {@link ImportError} for the first device of a missing model. */
function modelCheck(
  models: Pick<ModelStore, 'find'>,
  { brands, unknownModels }: { readonly brands: BrandScope; readonly unknownModels: boolean },
) {
  const known = new Set<string>()
  return async (read: ReadDevice): Promise<void> => {
    const { place, stored } = read
    const { device } = stored
    const claimed = brands === 'all' ? undefined : CLAIMS.find((column) => isClaimed(column, read))
    if (claimed !== undefined) {
      throw new ImportError(
        `${place}: only an operator who manages the devices of all brands can set "${claimed}". Leave the column out. Nothing was imported.`,
        { column: claimed },
      )
    }
    const name = showModelName(device)
    if (known.has(name)) return
    known.add(name)
    // Models of other brands are treated as missing.
    const isThere = covers(brands, device.brandId) && (unknownModels || (await models.find(device)))
    if (!isThere) {
      throw new ImportError(
        `${place}: there is no model ${name} here. Add it with \`ratafia models add\`, or pass --unknown-models. Nothing was imported.`,
        { column: 'model' },
      )
    }
  }
}

/** Checks the columns of the first row; in JSON, each further row reports its own missing columns. */
function checkColumns(names: readonly string[], place: string): void {
  const missing = NEEDED_COLUMNS.filter((column) => !names.includes(column))
  if (missing.length > 0) {
    throw new ImportError(
      `${place}: there is no ${missing.map((name) => `"${name}"`).join(', ')}. The columns are ${DEVICE_COLUMNS.join(', ')}.`,
    )
  }
}

async function importBatch(
  batch: readonly ReadDevice[],
  { at, faults }: { readonly at: Date; readonly faults: Faults },
  register: RegisterImport,
): Promise<number> {
  const present = await registered(batch, register)
  const fresh: ReadDevice[] = []
  const ids = new Set<DeviceId>()
  for (const read of batch) {
    const { id } = read.stored.device
    const there = present.get(read)
    faults.note(() => {
      if (ids.has(id)) {
        throw new ImportError(`${read.place}: an earlier row has the same id ${id}. Nothing was imported.`, {
          column: 'id',
        })
      }
      ids.add(id)
      if (there) refuseOther(read, there)
      else fresh.push(read)
    })
  }
  const ofFresh = await register.add(fresh.map(({ stored }) => stored))
  const isAdded = ({ stored }: ReadDevice) => ofFresh.has(stored.device.id)
  await compareWithRegister(
    fresh.filter((read) => !isAdded(read)),
    faults,
    register,
  )
  if (faults.any) return 0
  const added = fresh.filter(isAdded)
  await register.addEvidence(added.flatMap(({ stored }) => stored.evidence))
  const assertions = added.flatMap(({ stored }) => stored.assertions)
  const [other] = await register.addAssertions(assertions, at)
  if (other) {
    const read = added.find(({ stored }) => stored.device.id === other.deviceId)
    throw new ImportError(
      `${read?.place}: the register has another assertion of ${showSerialName(other)} with the revision ${other.revision}. Nothing was imported.`,
      { column: 'assertions' },
    )
  }
  return added.length
}

/**
 * Finds out why these rows were not added: the same rows may have been imported in the meantime. Notes each
 * row that differs from the register.
 */
async function compareWithRegister(
  left: readonly ReadDevice[],
  faults: Faults,
  register: RegisterImport,
): Promise<void> {
  if (left.length === 0) return
  const present = await registered(left, register)
  for (const read of left) {
    const there = present.get(read)
    await faults.noteLater(async () => (there ? refuseOther(read, there) : refuseClash(read, register)))
  }
}

/** Returns the registered device of each row: found by id if the row has one, otherwise by key and serial. */
async function registered(
  batch: readonly ReadDevice[],
  register: RegisterImport,
): Promise<ReadonlyMap<ReadDevice, StoredDevice>> {
  const nameless = batch.filter(({ given }) => !given.has('id'))
  const rows = await register.byKeys(nameless.map(({ stored }) => stored.device.deviceKeyId))
  const ids = new Map<ReadDevice, DeviceId>()
  for (const read of batch) {
    const { device } = read.stored
    const row = read.given.has('id') ? device : rows.find((one) => isSame(one, device))
    if (row) ids.set(read, row.id)
  }
  const known = await register.byIds([...ids.values()])
  const byId = new Map(known.map((stored) => [stored.device.id, stored]))
  return new Map(
    [...ids].flatMap(([read, id]) => {
      const there = byId.get(id)
      return there ? [[read, there]] : []
    }),
  )
}

const isSame = (one: Device, other: Device): boolean =>
  one.brandId === other.brandId &&
  one.model === other.model &&
  one.serial === other.serial &&
  one.deviceKeyId === other.deviceKeyId

/** Compares only the columns that the row has. Evidence is not compared, because it grows. */
function refuseOther({ place, stored, given }: ReadDevice, there: StoredDevice): void {
  const [said, has] = [recordOf(stored), recordOf(there)]
  const differs = DEVICE_COLUMNS.find(
    (column) => column !== 'clone_evidence' && given.has(column) && said[column] !== has[column],
  )
  if (differs === undefined) return
  const values =
    differs === 'request' || differs === 'assertions'
      ? 'the texts differ'
      : `${JSON.stringify(has[differs])}, in the file ${JSON.stringify(said[differs])}`
  throw new ImportError(
    `${place}: the device ${there.device.id} is in the register with another "${differs}": ${values}. Nothing was imported.`,
    { column: differs },
  )
}

/** Throws an error with the reason why the row was not added. */
async function refuseClash({ place, stored }: ReadDevice, register: RegisterImport): Promise<void> {
  const { device } = stored
  const holder = device.serial === '' ? undefined : await register.devices.findHolder(device)
  const whose = (other: Device) => `the device ${other.id} (${other.status})`
  if (holder && (device.status === 'active' || device.status === 'revoked')) {
    throw new ImportError(
      `${place}: the serial ${showSerialName(device)} belongs to ${whose(holder)}, with another row. Nothing was imported.`,
      { column: 'serial' },
    )
  }
  const row = await register.devices.findByKey(device)
  throw new ImportError(
    `${place}: the device key ${device.deviceKeyId} already has a row of ${device.brandId}/${device.model}: ${row ? whose(row) : 'another one'}. Nothing was imported.`,
    { column: 'device_key_id' },
  )
}
