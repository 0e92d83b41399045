/** Guarantee: a pattern matches whole values, and no wildcard matches a slash. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GLOB_LIMITS, globMatches, globProblem } from './glob.ts'

for (const [pattern, value, matches] of [
  ['refs/tags/v*', 'refs/tags/v1.4.0', true],
  ['refs/tags/v*', 'refs/tags/v', true],
  ['refs/tags/v*', 'refs/tags/v1/../../heads/x', false],
  ['refs/tags/v*', 'refs/tags/x', false],
  ['refs/tags/v*', 'xrefs/tags/v1', false],
  ['refs/tags/v*', 'refs/tags/v1\n', true],
  ['refs/tags/v?.?', 'refs/tags/v1.2', true],
  ['refs/tags/v?.?', 'refs/tags/v1./', false],
  ['refs/*/v1', 'refs/tags/v1', true],
  ['refs/*/v1', 'refs/v1', false],
  ['refs/*/*', 'refs//', true],
  ['*', '', true],
  ['*', '/', false],
  ['**', 'a/b', false],
  ['?', '', false],
  ['a*b*c', 'abbc', true],
  ['a*b*c', 'ab/bc', false],
  ['*aab', 'aaaab', true],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['\\*', '\\x', true],
  ['a*', 'b*', false],
  ['', '', true],
  ['', 'a', false],
] as const) {
  test(`${pattern} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(value)}`, () => {
    assert.equal(globMatches(pattern, value), matches)
  })
}

/** Follows the definition literally, in exponential time. */
function defined(pattern: string, value: string): boolean {
  const [wanted, found] = [pattern[0], value[0]]
  if (wanted === undefined) return found === undefined
  const one = found !== undefined && found !== '/'
  if (wanted === '*') return defined(pattern.slice(1), value) || (one && defined(pattern, value.slice(1)))
  return (wanted === found || (wanted === '?' && one)) && defined(pattern.slice(1), value.slice(1))
}

const letters = (alphabet: string) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength: 9 }).map((some) => some.join(''))

test('matches as the definition says', () => {
  fc.assert(
    fc.property(letters('ab/*?'), letters('ab/'), (pattern, value) => {
      assert.equal(globMatches(pattern, value), defined(pattern, value))
    }),
    { numRuns: 3000 },
  )
})

test('a value has as many slashes as its pattern', () => {
  const slashes = (text: string) => text.split('/').length
  fc.assert(
    fc.property(
      letters('a/*?'),
      fc.array(fc.string({ unit: 'binary', maxLength: 3 })),
      (pattern, inserted) => {
        // Values that come close: the pattern, with its wildcards replaced.
        let at = 0
        const value = pattern.replace(/[*?]/g, () => inserted[at++] ?? 'a')
        if (globMatches(pattern, value)) assert.equal(slashes(value), slashes(pattern))
      },
    ),
  )
})

test('no pattern matches a value that is longer than any ref', () => {
  const most = 'x'.repeat(GLOB_LIMITS.value)
  assert.ok(globMatches('x*', most))
  assert.ok(!globMatches('x*', `${most}x`))
})

for (const [pattern, problem] of [
  ['refs/heads/*', undefined],
  ['octo-org/octo-repo/.github/workflows/*.yml@refs/heads/main', undefined],
  ['repo:o:*', /at least 8 characters/],
  ['system:*', /at least 8 characters/],
  ['system::*', undefined],
  ['prod', undefined],
  ['*/publish.yml@refs/heads/main', /up to the second slash, or to the first colon/],
  ['octo-org/*', /up to the second slash/],
  ['release-candidate-*', /up to the second slash/],
  ['7*', /up to the second slash/],
  ['a/b/*', /at least 8 characters/],
  ['a?b/c/d/e', /up to the second slash/],
  [`refs/heads/${'x'.repeat(250)}*`, /at most 256 characters/],
  ['*', /up to the second slash/],
] as const) {
  test(`the pattern ${pattern.slice(0, 60)} is ${problem ? 'refused' : 'narrow enough'}`, () => {
    if (problem === undefined) assert.equal(globProblem(pattern), undefined)
    else assert.match(globProblem(pattern) ?? '', problem)
  })
}
