import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkStep, nextVersion } from './next-version.ts'

const history = (release: string, ...recorded: readonly string[]) => ({
  release,
  recorded: recorded.map((version) => ({ version })),
})

test('next is the version of the checkout until it is recorded, then the next minor', () => {
  assert.equal(nextVersion(history('0.1.0')), '0.1.0')
  assert.equal(nextVersion(history('0.1.0-rc.1')), '0.1.0')
  assert.equal(nextVersion(history('0.1.0', '0.1.0')), '0.2.0')
  assert.equal(nextVersion(history('0.2.0-rc.1', '0.1.0', '0.1.1')), '0.2.0')
  assert.equal(nextVersion(history('1.2.3', '1.2.3')), '1.3.0')
})

for (const [version, state] of [
  ['0.1.0', history('0.1.0')],
  ['0.1.0-rc.1', history('0.1.0')],
  ['0.1.0', history('0.1.0-rc.2')],
  ['0.1.0-rc.3', history('0.1.0-rc.2')],
  ...['0.1.2', '0.2.0', '1.0.0', '0.2.0-rc.1'].map(
    (next) => [next, history('0.1.1', '0.1.0', '0.1.1')] as const,
  ),
  ['0.2.0', history('0.2.0-rc.1', '0.1.0')],
] as const) {
  test(`${version} can follow ${JSON.stringify(state)}`, () => checkStep(version, state))
}

for (const [version, state, message] of [
  ['v0.2.0', history('0.1.0', '0.1.0'), /^v0\.2\.0 is not a version number\. Write one such as/],
  ['next', history('0.1.0', '0.1.0'), /^next is not a version number\./],
  ['0.1.0', history('0.1.0', '0.1.0'), /^0\.1\.0 is not newer than 0\.1\.0, which is released\.$/],
  ['0.1.0-rc.1', history('0.1.0', '0.1.0'), /^0\.1\.0-rc\.1 is not newer than 0\.1\.0/],
  [
    '0.3.0',
    history('0.1.1', '0.1.1'),
    /^After 0\.1\.1, the next release can be 0\.1\.2, 0\.2\.0, 1\.0\.0 or a pre-/,
  ],
  ['0.2.1', history('0.1.1', '0.1.1'), /^After 0\.1\.1/],
  ['0.2.0', history('0.1.0'), /^The first release can be 0\.1\.0 or a pre-release of it, not 0\.2\.0\.$/],
  ['0.2.0-rc.1', history('0.2.0-rc.1', '0.1.0'), /is not newer than 0\.2\.0-rc\.1, the pre-release in this/],
  ['0.1.1', history('0.2.0-rc.1', '0.1.0'), /is not newer than 0\.2\.0-rc\.1/],
] as const) {
  test(`${version} cannot follow ${JSON.stringify(state)}`, () => {
    assert.throws(() => checkStep(version, state), { message })
  })
}
