/** The releases so far, from releases.json: what upgrades start from. Pre-releases are not recorded. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  compareVersions,
  parseVersion,
  versionOf,
} from '../../packages/server/src/release/release-version.ts'
import { ROOT } from '../test/programs.ts'

export interface RecordedRelease {
  /** Without a leading v. */
  readonly version: string
  /** The commit of the release, 40 hexadecimal digits. */
  readonly commit: string
  /** The name of its newest migration. */
  readonly schema: string
}

/** Relative to the root of a checkout. */
export const RELEASES = 'releases.json'
/** The folder with the database that each release made; relative to the root of a checkout. */
export const DATABASES = 'packages/server/test/data/releases'

/** Returns the recorded releases of the checkout at `root`, oldest first. Throws an Error as {@link readReleases} does. */
export const recordedReleases = (root = ROOT): readonly RecordedRelease[] =>
  readReleases(readFileSync(join(root, RELEASES), 'utf8'))

/**
 * Returns the newest recorded release of the minor before the one of `version`: for 3.3.1 the newest 3.2.x, for 4.0.0
 * the newest 3.x. Returns undefined if there is none. `version` can be a pre-release; throws an Error if it is invalid.
 */
export function previousMinor(version: string, releases = recordedReleases()): RecordedRelease | undefined {
  const { major, minor } = versionOf(version)
  return releases.findLast((release) => {
    const recorded = versionOf(release.version)
    return recorded.major < major || (recorded.major === major && recorded.minor < minor)
  })
}

/** Reads the text of releases.json. Throws an Error with the entry that is wrong, and the reason. */
export function readReleases(text: string): readonly RecordedRelease[] {
  const entries: unknown = JSON.parse(text)
  if (!Array.isArray(entries)) throw new Error(`${RELEASES} is not a list.`)
  const releases = entries.map(readRelease)
  for (const [index, { version }] of releases.entries()) {
    const before = releases[index - 1]
    if (before && compareVersions(before.version, version) >= 0) {
      throw new Error(`${RELEASES}: ${version} comes after ${before.version}, but is not newer.`)
    }
  }
  return releases
}

/** Returns the text of releases.json. */
export const writeReleases = (releases: readonly RecordedRelease[]): string =>
  `${JSON.stringify(releases, null, 2)}\n`

const FIELDS: Readonly<Record<keyof RecordedRelease, RegExp>> = {
  version: /./,
  commit: /^[0-9a-f]{40}$/,
  schema: /^[0-9]{4}-[a-z0-9-]{1,100}$/,
}

function readRelease(entry: unknown): RecordedRelease {
  const wrong = (reason: string) => new Error(`${RELEASES}: ${JSON.stringify(entry)} ${reason}.`)
  if (typeof entry !== 'object' || entry === null) throw wrong('is not an object')
  const values = new Map<string, unknown>(Object.entries(entry))
  const read = (field: keyof RecordedRelease): string => {
    const value = values.get(field)
    if (typeof value !== 'string' || !FIELDS[field].test(value)) throw wrong(`has no valid "${field}"`)
    return value
  }
  const release = { version: read('version'), commit: read('commit'), schema: read('schema') }
  if (values.size !== Object.keys(FIELDS).length) throw wrong('has unknown fields')
  const version = parseVersion(release.version)
  if (version === undefined) throw wrong('has no valid "version"')
  if (version.preRelease !== undefined) throw wrong('is a pre-release, which is not recorded')
  return release
}
