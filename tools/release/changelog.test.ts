import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseChangelog } from './changelog.ts'

const HEAD = '# Changelog\n\nThe changes in each release.\n\n'
const OLD = '## [1.2.3] - 2026-01-01\n\nAdded:\n\n- Something.\n'
const CHANGES = '### Operators\n\nAdded:\n\n- More.\n'

test('dates the unreleased changes, below a new empty section', () => {
  assert.equal(
    releaseChangelog(`${HEAD}## [Unreleased]\n\n${CHANGES}\n${OLD}`, '1.3.0', '2027-01-31'),
    `${HEAD}## [Unreleased]\n\n## [1.3.0] - 2027-01-31\n\n${CHANGES}\n${OLD}`,
  )
})

test('removes the sentence about the version to come', () => {
  const will = 'This will be 0.1.0.'
  assert.equal(
    releaseChangelog(`${HEAD}## [Unreleased]\n\n${will}\n\n${CHANGES}`, '0.1.0', '2027-01-31'),
    `${HEAD}## [Unreleased]\n\n## [0.1.0] - 2027-01-31\n\n${CHANGES}`,
  )
})

for (const [what, text] of [
  ['without the section', `${HEAD}${OLD}`],
  ['without a change', `${HEAD}## [Unreleased]\n\n${OLD}`],
  ['with only a heading', `${HEAD}## [Unreleased]\n\n### Operators\n\n${OLD}`],
] as const) {
  test(`refuses a changelog ${what}`, () => {
    assert.throws(
      () => releaseChangelog(text, '1.3.0', '2027-01-31'),
      /CHANGELOG\.md has (no section|nothing)/,
    )
  })
}
