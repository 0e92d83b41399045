/** Guarantee: a matcher compares type and value exactly, and never matches a value that only looks equal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from './holds.ts'
import { readMatch } from './read-match.ts'

for (const [matcher, value, expected] of [
  ['74', '74', true],
  ['74', 74, false],
  [74, 74, true],
  [74, '74', false],
  [true, true, true],
  [true, 'true', false],
  ['true', true, false],
  ['prod', 'Prod', false],
  ['', '', true],
  ['74', ['74'], false],
  ['[object Object]', {}, false],
  ['null', null, false],
  ['undefined', undefined, false],
  [{ fold: 'PROD' }, 'prod', true],
  [{ fold: 'kelvin' }, '\u212aelvin', false],
  [{ fold: 'strasse' }, 'straße', false],
  [{ fold: 'É' }, 'é', false],
  [{ fold: '1' }, 1, false],
  [{ glob: 'refs/tags/*' }, 'refs/tags/v1', true],
  [{ glob: 'refs/tags/*' }, ['refs/tags/v1'], false],
  [{ any_of: ['a', 7, { fold: 'B' }] }, 'b', true],
  [{ any_of: ['a', 7, { fold: 'B' }] }, 7, true],
  [{ any_of: ['a', 7, { fold: 'B' }] }, '7', false],
  [{ any_of: ['a'] }, ['a'], false],
] as const) {
  test(`${JSON.stringify(matcher)} ${expected ? 'holds' : 'does not match'} for ${JSON.stringify(value)}`, () => {
    assert.equal(holds(matcher, value), expected)
  })
}

test('no matcher matches a value that is not a scalar', () => {
  const matcher = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.string().map((fold) => ({ fold })),
    fc.string().map((glob) => ({ glob })),
  )
  const value = fc.oneof(fc.constant(null), fc.constant(undefined), fc.array(fc.jsonValue()), fc.object())
  fc.assert(
    fc.property(matcher, value, (one, other) => !holds(one, other) && !holds({ any_of: [one] }, other)),
  )
})

test('reads back the match that was written', () => {
  const match = {
    sub: 'a',
    n: 7,
    b: false,
    f: { fold: 'x' },
    g: { glob: 'a*' },
    o: { any_of: ['a', { glob: 'b' }] },
  }
  assert.deepEqual(readMatch(JSON.parse(JSON.stringify(match))), match)
  const odd = JSON.parse('{"__proto__":"x","/a/b":"y","/~1x":"z"}')
  assert.deepEqual(Object.entries(readMatch(odd)), [
    ['__proto__', 'x'],
    ['/a/b', 'y'],
    ['/~1x', 'z'],
  ])
})

for (const [what, json, message] of [
  ['a list', [], /a JSON object/],
  ['a string', 'sub=x', /a JSON object/],
  ['null', null, /a JSON object/],
  ['33 claims', { ...Array.from({ length: 33 }, () => 'x') }, /at most 32 claims/],
  ['null for a claim', { sub: null }, /sub: a matcher is a string/],
  ['a list for a claim', { sub: ['a'] }, /sub: a matcher is/],
  ['a negation', { sub: { not: 'a' } }, /sub: a matcher is/],
  ['a regular expression', { sub: { regex: '.*' } }, /sub: a matcher is/],
  ['two matchers in one', { sub: { glob: 'a', fold: 'b' } }, /sub: a matcher is/],
  ['any_of with another matcher', { sub: { any_of: ['a'], glob: 'b' } }, /sub: a matcher is/],
  ['an empty any_of', { sub: { any_of: [] } }, /sub: a matcher is/],
  ['any_of within any_of', { sub: { any_of: [{ any_of: ['a'] }] } }, /sub: a matcher is/],
  ['a string for any_of', { sub: { any_of: 'ab' } }, /sub: a matcher is/],
  ['a number for glob', { sub: { glob: 7 } }, /sub: a matcher is/],
  ['a number beyond 2^53', { id: 2 ** 53 }, /id: a matcher is/],
  ['a long string', { sub: 'x'.repeat(1025) }, /sub: a matcher is/],
  ['U+0000', { sub: 'a\0' }, /sub: a matcher is/],
  ['half a character', { sub: 'a\ud800' }, /sub: a matcher is/],
  ['an empty name', { '': 'x' }, /"": the name of a claim/],
  ['a long name', { ['x'.repeat(201)]: 'x' }, /the name of a claim must have 1 to 200/],
  ['a pointer to a top-level claim', { '/sub': 'x' }, /\/sub: write the claim without the slash/],
  ['a bad pointer', { '/a~2/b': 'x' }, /JSON Pointer, write ~ as ~0/],
  ['two problems', { sub: null, '/ref': 'x' }, /sub: a matcher.*\/ref: write/],
] as const) {
  test(`refuses ${what} as a match`, () => {
    assert.throws(() => readMatch(json), { code: 'invalid-field', extra: { field: 'match' }, message })
  })
}
