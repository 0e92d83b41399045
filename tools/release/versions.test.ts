/** The version is the same in every place, and no place is missing in the table. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { compareVersions, versionOf } from '../../packages/server/src/release/release-version.ts'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { ROOT } from '../test/programs.ts'
import { recordedReleases } from './releases.ts'
import { escaped, filesOf, PLACES } from './versions.ts'

const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

for (const place of PLACES.filter(({ isSparse }) => !isSparse)) {
  test(`${place.files.join(' ')} names the release`, () => {
    for (const path of filesOf(place, ROOT)) {
      assert.notEqual(place.write(read(path), RELEASE, '9.9.9'), read(path), path)
    }
  })
}

test('the packages of the repository depend on each other in this release', () => {
  const manifests = filesOf({ files: ['package.json', 'packages/*/package.json'] }, ROOT)
  assert.equal(manifests.length, 5)
  for (const path of manifests) {
    const { version, dependencies = {} } = JSON.parse(read(path))
    assert.equal(version, RELEASE, path)
    for (const [name, wanted] of Object.entries(dependencies)) {
      if (name.startsWith('@ratafia/')) assert.equal(wanted, RELEASE, `${path}: ${name}`)
    }
  }
})

/** Files with versions of past releases, of other software, and of examples. */
const OTHERS = [
  ...['CHANGELOG.md', 'releases.json', 'packages/server/test/data', 'docs/decisions', 'docs/releasing.md'],
  ...['docs/operations/upgrade.md', 'tools/release', '*.test.ts', '*.suite.ts', '*.fixture.ts'],
  ...[
    'interop',
    'benchmarks',
    'tools/build/registry/package-lock.json',
    'docs/conformance.md',
    'docs/licences.md',
  ],
]
/** Sentences about the first release, which its maintainer changes (docs/releasing.md). */
const BEFORE_FIRST = /not released yet|first release/i

test('no other file names the version of the release', {
  skip: git('rev-parse').status !== 0 && 'this is not a repository',
}, () => {
  const places = PLACES.map(({ write, ...place }) => ({ write, paths: new Set(filesOf(place, ROOT)) }))
  const { stdout } = git('grep', '-lzF', RELEASE, '--', ...OTHERS.map((path) => `:!${path}`))
  const found = stdout.split('\0').flatMap((path) => {
    // Other packages can have the same version.
    if (path === '' || path === 'package-lock.json') return []
    const written = places
      .filter(({ paths }) => paths.has(path))
      .reduce((text, { write }) => write(text, RELEASE, '9.9.9'), read(path))
    return linesWith(written, path)
  })
  assert.deepEqual(found, [], 'add them to PLACES in versions.ts, or use another version in examples')
})

const VERSION = new RegExp(`(?<![0-9.])${escaped(RELEASE)}(?![0-9]|\\.[0-9])`)

const linesWith = (text: string, path: string): readonly string[] =>
  text.split('\n').flatMap((line, index) => {
    return VERSION.test(line) && !BEFORE_FIRST.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []
  })

test('the newest release in the changelog is this one', () => {
  const { preRelease } = versionOf(RELEASE)
  const [, newest] = /^## \[([0-9][^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md')) ?? []
  if (preRelease !== undefined) assert.notEqual(newest, RELEASE, 'a pre-release has no section of its own')
  else if (newest === undefined)
    assert.match(read('CHANGELOG.md'), new RegExp(`^This will be ${RELEASE}\\.`, 'm'))
  else assert.equal(newest, RELEASE)
})

test('no recorded release is newer than this one', () => {
  const newest = recordedReleases().at(-1)?.version ?? RELEASE
  assert.ok(compareVersions(newest, RELEASE) <= 0, newest)
})
