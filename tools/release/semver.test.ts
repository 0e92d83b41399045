import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions, parseVersion } from './semver.ts'

// The order in section 11 of semver.org, with more numbers.
const ASCENDING = [
  ...['0.1.0', '0.1.9', '0.1.10', '0.2.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta'],
  ...['1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '2.0.0', '10.0.0'],
]

test('versions have the order of Semantic Versioning', () => {
  for (const [at, one] of ASCENDING.entries()) {
    for (const [against, other] of ASCENDING.entries()) {
      assert.equal(Math.sign(compareVersions(one, other)), Math.sign(at - against), `${one} and ${other}`)
    }
  }
})

for (const text of [
  ...[
    '',
    '1',
    '1.2',
    'v1.2.3',
    '1.2.3.4',
    '01.2.3',
    '1.02.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3-a..b',
    '1.2.3-a.',
  ],
  ...['1.2.3+build', '1.2.3 ', ' 1.2.3', '1.2.3\n', '1.2.1234567890', '1.2.x', '-1.2.3'],
]) {
  test(`${JSON.stringify(text)} is not a version number`, () => assert.equal(parseVersion(text), undefined))
}
