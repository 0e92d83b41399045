/** The releases so far, from releases.json: what upgrades start from. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../test/programs.ts'

export interface RecordedRelease {
  /** Such as `0.1.0`. */
  readonly version: string
  /** The commit of the release, 40 hexadecimal digits. */
  readonly commit: string
  /** The name of its newest migration. */
  readonly schema: string
}

/** Returns the recorded releases, oldest first. */
export const recordedReleases = (): readonly RecordedRelease[] =>
  JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8'))

/** Returns the newest recorded release of the minor before the one of `version`; undefined if there is none. */
export function previousMinor(version: string, releases = recordedReleases()): RecordedRelease | undefined {
  const [major, minor] = numbersOf(version)
  return releases.findLast((release) => {
    const recorded = numbersOf(release.version)
    return recorded[0] < major || (recorded[0] === major && recorded[1] < minor)
  })
}

function numbersOf(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return [major, minor]
}
