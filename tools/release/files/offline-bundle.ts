/** The offline bundle: one archive with all files of a signed release, for machines without a network. */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeArchive } from './archive.ts'
import type { ReleaseRecord } from './release-files.ts'

/**
 * Writes `ratafia-VERSION-offline.tar` next to `directory`, which has the files of the release `version` with
 * `SHA256SUMS` and its signature, and returns its path. `SHA256SUMS` cannot list an archive that contains it, so it is not
 * in `directory`. Throws an Error for a directory without the release's build record.
 */
export function writeOfflineBundle(directory: string, version: string): string {
  const record = join(directory, `ratafia-${version}-build.json`)
  const { release, time }: ReleaseRecord = JSON.parse(readFileSync(record, 'utf8'))
  if (release !== version || !Number.isSafeInteger(time)) {
    throw new Error(`${record} is not the build record of ${version}.`)
  }
  const output = join(dirname(resolve(directory)), `ratafia-${version}-offline.tar`)
  writeArchive({ output, directory, name: `ratafia-${version}`, time })
  return output
}
