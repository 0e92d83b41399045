import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RELEASE } from '../start/release/release.ts'
import { compareVersions, parseVersion, versionInName } from './release-version.ts'

test('versions are in the order of SemVer', () => {
  // Section 11 of SemVer 2.0.0, in the form that releases have.
  const ordered = [
    ...['0.0.1', '0.1.0-alpha.1', '0.1.0-beta.2', '0.1.0-beta.11', '0.1.0-rc.1', '0.1.0', '0.1.1', '0.2.0'],
    ...['0.10.0-rc.0', '0.10.0', '1.0.0', '2.0.0', '10.0.0'],
  ]
  for (const [at, a] of ordered.entries()) {
    for (const [other, b] of ordered.entries()) {
      assert.equal(Math.sign(compareVersions(a, b)), Math.sign(at - other), `${a} and ${b}`)
    }
  }
})

test('this release has a version of that form', () => assert.equal(compareVersions(RELEASE, RELEASE), 0))

for (const version of [
  '1.2',
  '01.2.3',
  '1.2.3.4',
  '1.2.3-rc',
  '1.2.3-rc.01',
  '1.2.3-1',
  '1.2.3+b',
  '1.2.3-rc.1.2',
  'v1.2.3',
  ' 1.2.3',
  '1.2.3\n',
  '1.2.1234567',
  '',
]) {
  test(`${JSON.stringify(version)} is not a version`, () => {
    assert.equal(parseVersion(version), undefined)
    assert.throws(() => compareVersions(version, '1.0.0'), TypeError)
    assert.throws(() => compareVersions('1.0.0', version), TypeError)
  })
}

for (const [name, version] of [
  ['ratafia-0.2.0-linux-x64.tar.xz', '0.2.0'],
  ['ratafia-0.2.0-rc.1-linux-arm64.tar.xz', '0.2.0-rc.1'],
  ['ratafia_0.2.0_amd64.deb', '0.2.0'],
  ['ratafia_0.2.0~rc.1_arm64.deb', '0.2.0-rc.1'],
  ['ratafia-10.20.30.oci.tar', '10.20.30'],
  ['ratafia-macaroon-0.2.0-rc.12.tgz', '0.2.0-rc.12'],
  ['ratafia-0.2.0.cdx.json', '0.2.0'],
  ['ratafia-0.2.0.map', '0.2.0'],
  ['ratafia-0.2.0-docs.tar.gz', '0.2.0'],
] as const) {
  test(`${name} is of ${version}`, () => assert.equal(versionInName(name), version))
}

for (const name of [
  ...[
    'ratafia',
    'ratafia-linux-x64.tar.xz',
    'other-0.2.0.tgz',
    'ratafia-0.2.tgz',
    'ratafia-0.2.0',
    'ratafia-0.2.0.1.tgz',
  ],
  ...['ratafia-0.2.0-rc.1.2.tgz', 'ratafia-0.2.0-rc.01.tgz', 'ratafia-00.2.0.tgz', 'ratafia0.2.0.tgz'],
]) {
  test(`${name} has no version`, () =>
    assert.throws(() => versionInName(name), /^ReleaseError: .*has no version/))
}
