// npm run test:release:commits. `npm run release` in a clone of this checkout: both commits, the next release after
// them, and that a refusal changes nothing. RATAFIA_REHEARSAL names an empty directory for the clone, which is kept,
// with the commit of the release checked out.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { migrations } from '../../packages/server/src/database/schema/migrations/index.ts'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { ROOT } from '../test/programs.ts'
import { linkPackages } from './checkouts.ts'
import { git, gitIn } from './git.ts'
import { nextVersion } from './next-version.ts'
import { cloneForRehearsal } from './rehearsal.ts'
import { DATABASES, recordedReleases } from './releases.ts'

const recorded = recordedReleases()
const VERSION = nextVersion({ release: RELEASE, recorded })
/** The next minor after {@link VERSION}. */
const LATER = nextVersion({ release: VERSION, recorded: [...recorded, { version: VERSION }] })
const MIGRATION = 'packages/server/src/database/schema/migrations/0002-setup-link.ts'

suite('npm run release', () => {
  const { RATAFIA_REHEARSAL: kept } = process.env
  const clone = kept ?? mkdtempSync(join(tmpdir(), 'ratafia-release-test-'))
  let tagged: string | undefined
  after(() => {
    if (kept === undefined) rmSync(clone, { recursive: true, force: true })
    else if (tagged !== undefined) gitIn(clone, 'checkout', '--quiet', tagged)
  })
  before(() => {
    cloneForRehearsal(clone)
    copyChanges()
    linkPackages(clone)
  })

  /** Commits the changes of this checkout in the clone. */
  function copyChanges(): void {
    const paths = git('status', '--porcelain', '-z', '--no-renames', '--untracked-files=all')
    for (const line of paths.split('\0').filter((line) => line !== '')) {
      const [from, to] = [ROOT, clone].map((root) => join(root, line.slice(3))) as [string, string]
      if (line.slice(0, 2).includes('D')) rmSync(to)
      else cpSync(from, to)
    }
    if (paths !== '') commit('Change something')
  }

  function commit(subject: string): void {
    gitIn(clone, 'add', '--all')
    gitIn(clone, 'commit', '--quiet', '--message', subject)
  }

  const head = (at = 'HEAD') => gitIn(clone, 'rev-parse', at)
  const show = (path: string, at = 'HEAD') => gitIn(clone, 'show', `${at}:${path}`)
  const read = (path: string) => readFileSync(join(clone, path), 'utf8')
  const replace = (path: string, from: string, to: string) => {
    assert.ok(read(path).includes(from), from)
    writeFileSync(
      join(clone, path),
      read(path).replace(from, () => to),
    )
  }
  const node = (...words: readonly string[]) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    return spawnSync(process.execPath, words, { cwd: clone, env, encoding: 'utf8' })
  }
  const release = (...words: readonly string[]) => node('tools/release/main.ts', ...words)
  const refuses = (words: readonly string[], message: RegExp) => {
    const [commit, status] = [head(), gitIn(clone, 'status', '--porcelain')]
    const { status: code, stderr } = release(...words)
    assert.equal(code, 1)
    assert.match(stderr, message)
    assert.deepEqual([head(), gitIn(clone, 'status', '--porcelain')], [commit, status])
    assert.equal(gitIn(clone, 'worktree', 'list').split('\n').length, 1)
  }

  test('refuses a commit that CI was not seen to pass on, and a checkout with changes', () => {
    refuses(['next'], new RegExp(`^Pass --ci with the full hash of .* The commit here is ${head()}\\.\n$`))
    refuses(['next', '--ci', head().slice(0, 12)], /^Pass --ci/)
    refuses(['next', '--ci', '0'.repeat(40)], /^Pass --ci/)
    refuses(['9.9.9', '--ci', head()], /can be .* or a pre-release of it, not 9\.9\.9\.\n$/)
    writeFileSync(join(clone, 'new'), '')
    refuses(['next', '--ci', head()], /^The checkout has changes\./)
    rmSync(join(clone, 'new'))
    gitIn(clone, 'switch', '--quiet', '--detach')
    refuses(['next', '--ci', head()], /^No branch is checked out\./)
    gitIn(clone, 'switch', '--quiet', 'main')
  })

  test('commits the release, then its record, and prints how to tag and push', () => {
    const start = head()
    const { status, stdout, stderr } = release('next', '--ci', start)
    assert.equal(status, 0, stderr)
    assert.deepEqual(gitIn(clone, 'log', '--format=%s', `${start}..`).split('\n'), [
      `Record release ${VERSION}`,
      `Release ${VERSION}`,
    ])
    tagged = head('HEAD^')
    assert.ok(stdout.includes(`git tag -s v${VERSION} ${tagged} -m 'Ratafia ${VERSION}'\n`), stdout)
    assert.ok(stdout.includes(`git push --atomic origin main v${VERSION}\n`), stdout)
    assert.equal(/reserve the npm names ratafia, @ratafia\/macaroon,/.test(stdout), recorded.length === 0)

    assert.equal(gitIn(clone, 'status', '--porcelain'), '')
    assert.equal(JSON.parse(show('package.json', tagged)).version, VERSION)
    assert.match(
      show('CHANGELOG.md', tagged),
      new RegExp(`^## \\[Unreleased\\]\n\n## \\[${VERSION}\\] - \\d{4}-`, 'm'),
    )
    assert.deepEqual(JSON.parse(show('releases.json', tagged)), recorded)
    assert.deepEqual(JSON.parse(show('releases.json')), [
      ...recorded,
      { version: VERSION, commit: tagged, schema: migrations.at(-1)?.name },
    ])
    const added = gitIn(clone, 'diff', '--name-only', 'HEAD^').split('\n')
    const files = ['db.gz', 'json', 'key'].map((ending) => `${DATABASES}/${VERSION}.${ending}`)
    assert.deepEqual(added, [...files, 'releases.json'])
    const tests = node('--test', 'tools/release/versions.test.ts', 'tools/release/releases.test.ts')
    assert.equal(tests.status, 0, tests.stdout)
  })

  test('refuses the same version again, and the next one without changes', () => {
    refuses([VERSION, '--ci', head()], /is not newer than .*, which is released\./)
    refuses(['next', '--ci', head()], /^CHANGELOG\.md has nothing under "## \[Unreleased\]"\./)
    gitIn(clone, 'tag', `v${LATER}`)
    refuses(['next', '--ci', head()], /^There already is a tag v/)
    gitIn(clone, 'tag', '--delete', `v${LATER}`)
  })

  test('refuses a change to a published migration', () => {
    replace('CHANGELOG.md', '## [Unreleased]\n', '## [Unreleased]\n\n- A change.\n')
    commit('Change something')
    replace(MIGRATION, 'expires_at', 'valid_until')
    commit('Edit a migration')
    const { version } = JSON.parse(read('releases.json')).at(-1)
    refuses(
      ['next', '--ci', head()],
      new RegExp(`^The migration 0002-setup-link runs other statements than in ${version}\\.`),
    )
    gitIn(clone, 'reset', '--quiet', '--hard', 'HEAD^')
  })

  test('commits a pre-release without a record, and its changes stay unreleased', () => {
    const [start, changelog] = [head(), read('CHANGELOG.md')]
    const { status, stderr } = release(`${LATER}-rc.1`, '--ci', start)
    assert.equal(status, 0, stderr)
    assert.equal(gitIn(clone, 'log', '--format=%s', `${start}..`), `Release ${LATER}-rc.1`)
    assert.equal(read('CHANGELOG.md'), changelog)
    assert.equal(JSON.parse(read('package.json')).version, `${LATER}-rc.1`)
  })

  test('--dry-run shows the next release, and changes nothing', () => {
    const start = head()
    const { status, stdout, stderr } = release('next', '--dry-run')
    assert.equal(status, 0, stderr)
    assert.ok(
      stdout.includes(`-export const RELEASE = '${LATER}-rc.1'\n+export const RELEASE = '${LATER}'\n`),
      stdout,
    )
    assert.deepEqual([head(), gitIn(clone, 'status', '--porcelain')], [start, ''])
  })
})
