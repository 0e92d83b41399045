/** The offline bundle: one archive with all files of a signed release, for machines without a network. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeArchive } from './archive.ts'
import type { ReleaseRecord } from './release-files.ts'

/**
 * Writes `ratafia-VERSION-offline.tar` next to `directory`, which has the files of a release with `SHA256SUMS` and its
 * signature, and returns its path. `SHA256SUMS` cannot list an archive that contains it, so it is not in `directory`.
 * Throws an Error for a directory without a build record.
 */
export function writeOfflineBundle(directory: string): string {
  const record = readdirSync(directory).find((name) => /^ratafia-.*-build\.json$/.test(name))
  if (record === undefined) throw new Error(`${directory} does not contain the files of a release.`)
  const { release, time }: ReleaseRecord = JSON.parse(readFileSync(join(directory, record), 'utf8'))
  const output = join(dirname(resolve(directory)), `ratafia-${release}-offline.tar`)
  writeArchive({ output, directory, name: `ratafia-${release}`, time })
  return output
}
