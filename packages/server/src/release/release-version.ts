/**
 * The version numbers of releases: SemVer, with pre-releases of a word and a number such as `1.2.0-rc.1`. Longer ones
 * could not be told apart from what follows the version in the name of a file.
 */
import { ReleaseError } from './release-error.ts'

const NUMBER = '(?:0|[1-9][0-9]{0,5})'
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-([a-z]+)\\.(${NUMBER}))?$`)
/** Debian writes `~` before a pre-release. */
const NAME = new RegExp(
  `^ratafia(?:-[a-z]+)*[-_](${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:[-~][a-z]+\\.${NUMBER})?)(?![-~][a-z]+\\.[0-9])[-_.][a-z]`,
)

/** Returns the version in the name of a release's file. Throws {@link ReleaseError} if it has none. */
export function versionInName(name: string): string {
  const version = NAME.exec(name)?.[1]?.replace('~', '-')
  if (version === undefined)
    throw new ReleaseError(`${name} has no version in its name. Do not use these files.`)
  return version
}

/** Returns the version in the names of all files. Throws {@link ReleaseError} unless there is exactly one. */
export function versionOfFiles(names: readonly string[], path: string): string {
  const versions = [...new Set(names.map(versionInName))].sort(compareVersions)
  const [version, ...others] = versions
  if (version === undefined || others.length > 0) {
    throw new ReleaseError(
      `${path} lists files of more than one release: ${versions.join(', ')}. Do not use these files.`,
    )
  }
  return version
}

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** Such as `rc` and 1; undefined for a release. */
  readonly preRelease: readonly [word: string, number: number] | undefined
}

/** Returns the parts of a version such as `1.2.0-rc.1`; undefined for other strings. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, word, number] = VERSION.exec(text) ?? []
  if (major === undefined) return undefined
  const preRelease = word === undefined ? undefined : ([word, Number(number)] as const)
  return { major: Number(major), minor: Number(minor), patch: Number(patch), preRelease }
}

/** Returns the parts of a version. Throws a `TypeError` for other strings. */
export function versionOf(text: string): Version {
  const version = parseVersion(text)
  if (version === undefined) throw new TypeError(`${text} is not a version such as 1.2.0 or 1.2.0-rc.1.`)
  return version
}

/** Compares two versions as SemVer does: negative if `a` is older. Throws a `TypeError` for other strings. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [sortKey(versionOf(a)), sortKey(versionOf(b))]
  for (const [at, part] of left.entries()) {
    const other = right[at] ?? 0
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}

/** Returns what decides, in this order. A version comes after all of its pre-releases. */
const sortKey = ({ major, minor, patch, preRelease = [AFTER_WORDS, 0] }: Version) => [
  major,
  minor,
  patch,
  ...preRelease,
]

/** Sorts after every word of a pre-release. */
const AFTER_WORDS = '~'
