/**
 * Prepares a release in two commits, which are made in a temporary checkout: the branch moves to them at the end, so
 * a failure, or a killed process, leaves it as it was.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { versionOf } from '../../packages/server/src/release/release-version.ts'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { ROOT } from '../test/programs.ts'
import { releaseChangelog, unreleasedChanges } from './changelog.ts'
import { inCheckoutOf } from './checkouts.ts'
import { git, gitIn } from './git.ts'
import { checkMigrations } from './migrations.ts'
import { checkStep } from './next-version.ts'
import { DATABASES, RELEASES, type RecordedRelease, recordedReleases, writeReleases } from './releases.ts'
import { writeVersion } from './versions.ts'

export interface Request {
  readonly version: string
  /** The commit that CI has passed on, as the maintainer read it there; undefined for a trial. */
  readonly ci: string | undefined
  readonly say: (line: string) => void
}

export interface Prepared {
  /** The commit to tag. */
  readonly commit: string
  /** The branch that now ends with the commits. */
  readonly branch: string
  /** Whether nothing was released before. */
  readonly isFirst: boolean
}

/** Makes the commits on the current branch. Throws an Error with the reason, and what to do, and changes nothing then. */
export async function prepareRelease({ version, ci, say }: Request): Promise<Prepared> {
  const head = checkRepository(version)
  const branch = currentBranch()
  if (ci !== head) throw new Error(`${UNCONFIRMED} The commit here is ${head}.`)
  checkVersion(version)
  const isFirst = recordedReleases().length === 0
  return inCheckoutOf(head, async (directory) => {
    await writeRelease(directory, version, say)
    const commit = commitAll(directory, `Release ${version}`)
    say(`Committed the release as ${commit}.`)
    if (versionOf(version).preRelease === undefined) {
      await recordRelease(directory, { version, commit }, say)
      commitAll(directory, `Record release ${version}`)
    }
    if (currentBranch() !== branch || git('rev-parse', 'HEAD') !== head) {
      throw new Error(`The checkout is not at ${head} on ${branch} any more. Run this again.`)
    }
    git('merge', '--quiet', '--ff-only', gitIn(directory, 'rev-parse', 'HEAD'))
    return { commit, branch, isFirst }
  })
}

/** Returns the changes that {@link prepareRelease} would commit first, as Git shows them. Throws as that does. */
export async function tryRelease({ version, say }: Omit<Request, 'ci'>): Promise<string> {
  const head = checkRepository(version)
  checkVersion(version)
  return inCheckoutOf(head, async (directory) => {
    await writeRelease(directory, version, say)
    return gitIn(directory, 'diff')
  })
}

const UNCONFIRMED = 'Pass --ci with the full hash of the commit on which you saw CI pass.'

/** Returns the current commit. Throws an Error for changes, and for a version that has a tag. */
function checkRepository(version: string): string {
  if (git('status', '--porcelain') !== '') {
    throw new Error('The checkout has changes. Commit, stash or remove them: `git status` shows them.')
  }
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`There already is a tag v${version}.`)
  // Fails if Git does not know who commits.
  git('var', 'GIT_COMMITTER_IDENT')
  return git('rev-parse', 'HEAD')
}

function currentBranch(): string {
  const branch = git('branch', '--show-current')
  if (branch === '') throw new Error('No branch is checked out. Run `git switch BRANCH`.')
  return branch
}

/** Checks what needs no checkout. */
function checkVersion(version: string): void {
  checkStep(version, { release: RELEASE, recorded: recordedReleases() })
  unreleasedChanges(readFileSync(join(ROOT, CHANGELOG), 'utf8'))
}

const CHANGELOG = 'CHANGELOG.md'

/** Writes the version and the date, and checks the result. */
async function writeRelease(directory: string, version: string, say: Request['say']): Promise<void> {
  const previous = recordedReleases().at(-1)
  if (previous) await checkMigrations(directory, previous)
  writeVersion(directory, RELEASE, version)
  // The changes of a pre-release stay unreleased: the release has them all in one section.
  if (versionOf(version).preRelease === undefined) {
    const path = join(directory, CHANGELOG)
    const date = new Date().toISOString().slice(0, 10)
    writeFileSync(path, releaseChangelog(readFileSync(path, 'utf8'), version, date))
  }
  say(`Wrote ${version} in place of ${RELEASE}. Testing the places of the version, and the documentation.`)
  const versions = ['versions', 'releases'].map((name) => `tools/release/${name}.test.ts`)
  runTests(directory, [...versions, 'tools/build/*.test.ts', 'tools/docs/*.test.ts'])
  run(directory, 'tools/words/main.ts')
}

/** Adds the release to releases.json, with a database that its program makes. */
async function recordRelease(
  directory: string,
  { version, commit }: Pick<RecordedRelease, 'version' | 'commit'>,
  say: Request['say'],
): Promise<void> {
  say('Making the database of the release with its program.')
  run(directory, 'tools/release/database/main.ts', version, join(directory, DATABASES))
  const schemas = join(directory, 'packages/server/src/database/schema/migrations/index.ts')
  const { migrations }: { migrations: readonly { name: string }[] } = await import(
    pathToFileURL(schemas).href
  )
  const schema = migrations.at(-1)?.name ?? ''
  const releases = [...recordedReleases(directory), { version, commit, schema }]
  writeFileSync(join(directory, RELEASES), writeReleases(releases))
  say('Testing that the databases of all releases open.')
  runTests(directory, ['tools/release/releases.test.ts', 'tools/release/database/recorded.test.ts'])
}

function commitAll(directory: string, subject: string): string {
  gitIn(directory, 'add', '--all')
  gitIn(directory, 'commit', '--quiet', '--message', subject)
  return gitIn(directory, 'rev-parse', 'HEAD')
}

const runTests = (directory: string, files: readonly string[]) =>
  run(directory, '--test', '--test-reporter=dot', ...files)

/** Runs Node in a checkout. Throws an Error with its output if it fails. */
function run(directory: string, ...words: readonly string[]): void {
  const { NODE_TEST_CONTEXT: _, RATAFIA_TEST_BUNDLE: __, ...env } = process.env
  try {
    execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
      ...{ cwd: directory, env, encoding: 'utf8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`\`node ${words.join(' ')}\` failed in the commit of the release:\n${stdout}${stderr}`)
  }
}
