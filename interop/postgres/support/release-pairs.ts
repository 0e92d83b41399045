/** Neighbouring releases, which can use one database at the same time. */
import { join } from 'node:path'
import {
  contractingRelease,
  nextRelease,
  type Release,
  releaseOf,
  thisRelease,
} from '../../../faults/world/release.ts'
import { RELEASE } from '../../../packages/server/src/start/release/release.ts'
import { previousMinor, recordedReleases } from '../../../tools/release/releases.ts'

export interface ReleasePair {
  readonly name: string
  /** Builds both releases below `directory`. */
  build(directory: string): Promise<{ readonly older: Release; readonly newer: Release }>
}

/**
 * This checkout with the release after it, and each recorded release that it has to work with: the newest one, and the
 * newest one of the minor before.
 */
export function releasePairs(): readonly ReleasePair[] {
  const recorded = [recordedReleases().at(-1), previousMinor(RELEASE)]
  const previous = new Map(recorded.flatMap((each) => (each ? [[each.version, each.commit]] : [])))
  return [
    {
      name: 'this checkout and the next release',
      build: async (directory) => ({ older: thisRelease(), newer: await nextRelease(directory) }),
    },
    {
      name: 'the last commit and a release that drops something',
      // Built from its commit like a recorded release, so that this is tested before there is one.
      build: async (directory) => ({
        older: await releaseOf('HEAD', directory),
        newer: await contractingRelease(join(directory, 'newer')),
      }),
    },
    ...Array.from(previous, ([version, commit]) => ({
      name: `release ${version} and this checkout`,
      build: async (directory: string) => ({
        older: await releaseOf(commit, directory),
        newer: thisRelease(),
      }),
    })),
  ]
}
