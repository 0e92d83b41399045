/** Version numbers, as Semantic Versioning 2.0.0 defines them, without build metadata. */

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  /** The identifiers of a pre-release, such as `rc` and `1`; empty for a release. */
  readonly preRelease: readonly string[]
}

const NUMBER = '(0|[1-9][0-9]{0,8})'
const IDENTIFIER = '(?:0|[1-9][0-9]{0,8}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'
const FORM = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?$`)

/** Returns the parts of a version number such as `0.2.0-rc.1`; undefined if it is invalid. */
export function parseVersion(text: string): Version | undefined {
  const [whole, major, minor, patch, preRelease] = FORM.exec(text) ?? []
  if (whole === undefined) return undefined
  return {
    ...{ major: Number(major), minor: Number(minor), patch: Number(patch) },
    preRelease: preRelease?.split('.') ?? [],
  }
}

/** Returns the parts of a version number. Throws an Error if it is invalid. */
export function versionOf(text: string): Version {
  const version = parseVersion(text)
  if (version === undefined) throw new Error(`${text} is not a version number such as 0.2.0 or 0.2.0-rc.1.`)
  return version
}

/** Returns the version number without the part of a pre-release. */
export const numberOf = ({ major, minor, patch }: Version): string => `${major}.${minor}.${patch}`

/** Returns a negative number if `one` is older than `other`, 0 if they are the same, otherwise a positive number. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [versionOf(one), versionOf(other)]
  const byNumber = a.major - b.major || a.minor - b.minor || a.patch - b.patch
  if (byNumber !== 0) return byNumber
  // A release is newer than its pre-releases.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length
  for (const [index, identifier] of a.preRelease.entries()) {
    const against = b.preRelease[index]
    if (against === undefined) return 1
    if (identifier !== against) return compareIdentifiers(identifier, against)
  }
  return a.preRelease.length - b.preRelease.length
}

/** Numbers compare as numbers, and come before words. */
function compareIdentifiers(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (/^\d+$/.test(text) ? Number(text) : undefined))
  if (a !== undefined && b !== undefined) return a - b
  if (a !== undefined || b !== undefined) return a !== undefined ? -1 : 1
  return one < other ? -1 : 1
}
