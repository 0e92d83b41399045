/**
 * Takes over devices whose serials another service signed: names, keys and revisions, without the assertions. The first
 * registration here signs the next revision; a session opened with a serial of the other service stores that serial.
 */
import { newDeviceId } from '@ratafia/api'
import { type Authority, requireForAll } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import { type ImportedSigned, type NumberedDevice, type SignedDevice, SignedImport } from './signed-import.ts'

interface ImportOptions {
  /** The other service's name: `decided_by` of the rows. */
  readonly source: string
  /** Does everything and rolls it back. */
  readonly dryRun: boolean
  readonly authority: Authority
  readonly onProgress?: (done: number, total: number) => void
}

const BATCH = 500

/** Imports all devices or none, in one transaction. A second import changes nothing. Throws `permission-denied`. */
export async function importSignedDevices(
  all: readonly SignedDevice[],
  { source, dryRun, authority, onProgress }: ImportOptions,
  { inImport, clock }: Stores,
): Promise<ImportedSigned> {
  requireForAll(authority, 'devices:manage')
  let counts: ImportedSigned | undefined
  try {
    return await inImport(authority.author)(async ({ register, record }) => {
      const work = new SignedImport(source, register)
      // Superseded devices come first, so that their serials are free for the present holders.
      let done = 0
      for (const phase of inOrder(all, clock())) {
        for (let start = 0; start < phase.length; start += BATCH) {
          const batch = phase.slice(start, start + BATCH)
          await work.take(batch)
          done += batch.length
          onProgress?.(done, all.length)
        }
      }
      counts = await work.finish()
      if (dryRun) throw new RolledBack()
      const { conflicts, unchanged, ...changed } = counts
      if (Object.values(changed).some((count) => count > 0)) {
        const details = { ...changed, unchanged, conflicts: conflicts.length }
        await record({ action: 'devices.import-serial-vault', subject: source, details })
      }
      return counts
    })
  } catch (error) {
    if (error instanceof RolledBack && counts) return counts
    throw error
  }
}

class RolledBack extends Error {}

/** Returns superseded devices, then active ones; ids sort in the order of the signatures. */
function inOrder(all: readonly SignedDevice[], at: Date): readonly (readonly NumberedDevice[])[] {
  const numbered = all
    .toSorted((one, other) => one.firstSignedAt.getTime() - other.firstSignedAt.getTime())
    .map((signed) => ({ id: newDeviceId(at), signed }))
  return [
    numbered.filter(({ signed }) => signed.gaveWayTo),
    numbered.filter(({ signed }) => !signed.gaveWayTo),
  ]
}
