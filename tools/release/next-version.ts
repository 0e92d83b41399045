/** Which version can follow. */

import {
  compareVersions,
  parseVersion,
  type Version,
  versionOf,
} from '../../packages/server/src/release/release-version.ts'
import type { RecordedRelease } from './releases.ts'

export interface History {
  /** The version in this checkout. */
  readonly release: string
  readonly recorded: readonly Pick<RecordedRelease, 'version'>[]
}

/**
 * Returns the version that comes next: the one of this checkout if it is not recorded yet, otherwise the next minor.
 */
export function nextVersion({ release, recorded }: History): string {
  const newest = recorded.at(-1)?.version
  const version = versionOf(release)
  if (newest === undefined || compareVersions(release, newest) > 0) return numberOf(version)
  return stepsAfter(newest).minor
}

/** Throws an Error if `version` cannot follow: it is invalid, not newer, or leaves out a version. */
export function checkStep(version: string, { release, recorded }: History): void {
  const parsed = parseVersion(version)
  if (parsed === undefined) {
    throw new Error(`${version} is not a version number. Write one such as 1.2.0, or 1.2.0-rc.1.`)
  }
  const newest = recorded.at(-1)?.version
  if (newest !== undefined && compareVersions(version, newest) <= 0) {
    throw new Error(`${version} is not newer than ${newest}, which is released.`)
  }
  const possible = newest === undefined ? [numberOf(versionOf(release))] : Object.values(stepsAfter(newest))
  if (!possible.includes(numberOf(parsed))) {
    const after = newest === undefined ? 'The first release' : `After ${newest}, the next release`
    throw new Error(`${after} can be ${possible.join(', ')} or a pre-release of it, not ${version}.`)
  }
  if (versionOf(release).preRelease !== undefined && compareVersions(version, release) <= 0) {
    throw new Error(`${version} is not newer than ${release}, the pre-release in this checkout.`)
  }
}

function stepsAfter(version: string): {
  readonly patch: string
  readonly minor: string
  readonly major: string
} {
  const { major, minor, patch } = versionOf(version)
  return {
    patch: `${major}.${minor}.${patch + 1}`,
    minor: `${major}.${minor + 1}.0`,
    major: `${major + 1}.0.0`,
  }
}

/** Returns the version without the part of a pre-release. */
const numberOf = ({ major, minor, patch }: Version): string => `${major}.${minor}.${patch}`
