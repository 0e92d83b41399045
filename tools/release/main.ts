// npm run release: prepares a release. See --help, and docs/releasing.md.

import { parseArgs } from 'node:util'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { nextSteps } from './next-steps.ts'
import { nextVersion } from './next-version.ts'
import { prepareRelease, tryRelease } from './prepare.ts'
import { recordedReleases } from './releases.ts'

const HELP = `Usage: npm run release -- VERSION --ci COMMIT
       npm run release -- VERSION --dry-run

Prepares a release of this commit, on the current branch, in two commits:
  Release VERSION         the version in every place, and the date in the changelog: the commit to tag
  Record release VERSION  releases.json, and a database made by the program of the first commit, which every later
                          release is tested with; not for pre-releases

VERSION is the next patch, minor or major version, a pre-release of one such as 1.2.0-rc.1, or "next": the version
of this checkout if it is not released yet, otherwise the next minor.

It publishes nothing, and prints the commands that do. If it fails, nothing has changed.

Options:
  --ci <commit>  the full hash of this commit, from the place where you saw CI pass on it
  --dry-run      print what the first commit would change, and change nothing
  --help         show this help
`

const say = (line: string) => void process.stdout.write(`${line}\n`)
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ci: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [asked, ...more] = positionals
  if (values.help) process.stdout.write(HELP)
  else if (asked === undefined || more.length > 0) {
    process.stderr.write(HELP)
    process.exitCode = 2
  } else {
    const version = asked === 'next' ? nextVersion({ release: RELEASE, recorded: recordedReleases() }) : asked
    if (values['dry-run']) say(await tryRelease({ version, say }))
    else say(nextSteps(version, await prepareRelease({ version, ci: values.ci, say })))
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  // `parseArgs` throws a TypeError for unknown options.
  process.exitCode = error instanceof TypeError ? 2 : 1
}
