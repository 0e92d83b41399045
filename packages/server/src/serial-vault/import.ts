/** Imports the data of a serial-vault from a dump of its tables. */
import { type Authority, requireForAll } from '../authority.ts'
import { type ImportedSigned, importSignedDevices } from '../devices/transfer/import-signed-devices.ts'
import type { Stores } from '../stores.ts'
import type { DumpFile } from './dump-rows.ts'
import { readDump } from './read-dump.ts'
import type { Holding } from './signing-log.ts'
import { type TakenApiKeys, takeApiKeys } from './take-api-keys.ts'
import { takeAssertions } from './take-assertions.ts'

interface ImportOptions {
  readonly authority: Authority
  readonly files: readonly DumpFile[]
  /** Whether to only report what an import would do, and change nothing. */
  readonly dryRun: boolean
  /** Gets the number of devices. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface ImportedVault extends TakenApiKeys {
  /** The account and account-key assertions that were stored, and those that already existed. */
  readonly assertions: { readonly added: number; readonly unchanged: number }
  readonly signatures: number
  readonly devices: Omit<ImportedSigned, 'conflicts'>
  /** Serials with two keys, and keys with two serials, in a sentence each. */
  readonly duplicates: readonly string[]
  /** Contradictions with the register. */
  readonly conflicts: readonly string[]
}

const SOURCE = 'serial-vault'

/** Imports all devices or none. A second import changes nothing. Throws `permission-denied` and `ImportError`. */
export async function importSerialVault(
  { files, dryRun, authority, onProgress }: ImportOptions,
  stores: Stores,
): Promise<ImportedVault> {
  requireForAll(authority, 'roles:manage')
  const dump = await readDump(files, stores.clock())
  const how = { source: SOURCE, dryRun, authority }
  const { skipped: skippedAssertions, ...assertions } = await takeAssertions(dump, how, stores)
  const { apiKeys, skipped: skippedModels, todo } = await takeApiKeys(dump, how, stores)
  const holdings = dump.log.resolve()
  const { conflicts, ...devices } = await importSignedDevices(
    holdings,
    { ...how, ...(onProgress ? { onProgress } : {}) },
    stores,
  )
  return {
    assertions,
    apiKeys,
    signatures: dump.log.signatures,
    devices,
    duplicates: holdings.flatMap((holding) =>
      holding.gaveWayTo ? [duplicate(holding, holding.gaveWayTo)] : [],
    ),
    conflicts,
    skipped: [...dump.unreadable, ...skippedAssertions, ...skippedModels],
    todo,
  }
}

function duplicate(lost: Holding, now: Holding): string {
  const signed = ({ revision, place }: Holding) => `revision ${revision}, ${place}`
  const model = `${lost.brandId}/${lost.model}`
  return lost.serial === now.serial
    ? `The serial ${lost.serial} of ${model} was signed for the key ${lost.deviceKeyId} (${signed(lost)}) and for ${now.deviceKeyId} (${signed(now)}), which has it now.`
    : `The key ${lost.deviceKeyId} of ${model} was given the serial ${lost.serial} (${signed(lost)}) and ${now.serial} (${signed(now)}), which it has now.`
}
