/** The reader of releases.json, and what every recorded release must have. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrations } from '../../packages/server/src/database/schema/migrations/index.ts'
import { ROOT } from '../test/programs.ts'
import { DATABASES, previousMinor, readReleases, recordedReleases, writeReleases } from './releases.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'
const release = (version: string) => ({ version, commit: COMMIT, schema: '0001-schema' })
const releases = ['0.1.0', '0.1.1', '0.2.0', '0.2.10', '1.0.0'].map(release)

test('reads what it writes', () => {
  assert.deepEqual(readReleases(writeReleases(releases)), releases)
  assert.deepEqual(readReleases('[]'), [])
})

for (const [entries, message] of [
  [{}, /is not a list/],
  [[null], /null is not an object/],
  [[{ ...release('0.1.0'), tag: 'v0.1.0' }], /has unknown fields/],
  [[{ ...release('0.1.0'), commit: COMMIT.toUpperCase() }], /has no valid "commit"/],
  [[{ ...release('0.1.0'), commit: COMMIT.slice(1) }], /has no valid "commit"/],
  [[{ ...release('0.1.0'), schema: '1' }], /has no valid "schema"/],
  [[{ version: '0.1.0', commit: COMMIT }], /has no valid "schema"/],
  [[release('v0.1.0')], /has no valid "version"/],
  [[release('0.01.0')], /has no valid "version"/],
  [[release('0.1')], /has no valid "version"/],
  [[release('0.1.0-rc.1')], /is a pre-release, which is not recorded/],
  [[release('0.1.1'), release('0.1.0')], /0\.1\.0 comes after 0\.1\.1, but is not newer/],
  [[release('0.1.0'), release('0.1.0')], /is not newer/],
  [[release('0.10.0'), release('0.9.0')], /is not newer/],
] as const) {
  test(`refuses ${JSON.stringify(entries)}`, () => {
    assert.throws(() => readReleases(JSON.stringify(entries)), { message })
  })
}

test('the previous minor is the newest release before this minor', () => {
  const before = (version: string) => previousMinor(version, releases)?.version
  assert.deepEqual(
    ['0.1.0', '0.1.9', '0.2.0', '0.2.11', '0.3.0-rc.1', '0.3.0', '1.0.0', '1.1.0'].map(before),
    [undefined, undefined, '0.1.1', '0.1.1', '0.2.10', '0.2.10', '0.2.10', '1.0.0'],
  )
})

test('every recorded release has its database, and migrations that this checkout knows', () => {
  for (const { version, schema } of recordedReleases()) {
    for (const ending of ['db.gz', 'key', 'json']) {
      const file = `${DATABASES}/${version}.${ending}`
      assert.ok(existsSync(join(ROOT, file)), `${file} is missing`)
    }
    assert.ok(
      migrations.some(({ name }) => name === schema),
      `${version} has the migration ${schema}`,
    )
  }
})

const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })

test('the commit of every recorded release is in the history', {
  skip: git('rev-parse', '--is-shallow-repository').stdout !== 'false\n' && 'there is no whole history here',
}, () => {
  for (const { version, commit } of recordedReleases()) {
    assert.equal(git('cat-file', '-t', commit).stdout, 'commit\n', `the commit of ${version} is missing`)
  }
})
