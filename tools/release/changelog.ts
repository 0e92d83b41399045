/** The changelog of a release. */

const UNRELEASED = '## [Unreleased]'

/**
 * Returns the changelog with the section of unreleased changes dated, and a new empty one above. `date`: such as
 * 2027-01-31. Throws an Error as {@link unreleasedChanges} does.
 */
export function releaseChangelog(text: string, version: string, date: string): string {
  const changes = unreleasedChanges(text)
  const [before = '', after = ''] = text.split(`\n${UNRELEASED}\n${changes}`)
  // A sentence about the version to come, above the changes.
  const lasting = changes.replace(/^\nThis will be [^\n]*\n/, '')
  return `${before}\n${UNRELEASED}\n\n## [${version}] - ${date}\n${lasting}${after}`
}

/** Returns the section of unreleased changes, without its heading. Throws an Error if it is missing, or has no changes. */
export function unreleasedChanges(text: string): string {
  const [, after] = text.split(`\n${UNRELEASED}\n`)
  if (after === undefined) throw new Error(`CHANGELOG.md has no section "${UNRELEASED}".`)
  const [changes = ''] = after.split(/^(?=## )/m)
  if (!CHANGE.test(changes)) {
    throw new Error(`CHANGELOG.md has nothing under "${UNRELEASED}". Add what changes for whom.`)
  }
  return changes
}

const CHANGE = /^- /m

/** Returns the changelog with an unreleased change if it has none, as right after a release. */
export function withSomeChange(text: string): string {
  const [before, after = ''] = text.split(`\n${UNRELEASED}\n`)
  if (CHANGE.test(after.split(/^(?=## )/m)[0] ?? '')) return text
  return `${before}\n${UNRELEASED}\n\n- A change.\n${after}`
}
