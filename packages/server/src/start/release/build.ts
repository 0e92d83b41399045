/** Distinguishes builds of one release. */
import { readAsset } from './assets.ts'
import { RELEASE } from './release.ts'

/** Returns the commit that the one-file program was built from; null in other installations. */
export function builtFrom(): string | null {
  const build = readAsset('build.json')
  return build === undefined ? null : (JSON.parse(build.toString()) as { commit: string | null }).commit
}

/** Returns the release, with the commit if it is known. A checkout has none, so you can edit it while it runs. */
export function releaseAndCommit(): string {
  const commit = builtFrom()
  return commit === null ? RELEASE : `${RELEASE} ${commit}`
}
