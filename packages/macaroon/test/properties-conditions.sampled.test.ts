import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sampled } from '../../../tools/test/effort.ts'
import {
  type Attenuations,
  ConditionError,
  checkConditions,
  declaredValues,
  effectiveAttenuations,
  formatExtra,
  includesPattern,
  intersectAttenuations,
  matchesPattern,
  parseExtra,
  parseNeedDeclared,
  permits,
  TOKEN_CHECKERS,
} from '../src/conditions/index.ts'
import { text } from './arbitraries.ts'

/** A second fnmatch, which tries everything, so that the properties don't rely on the code that they check. */
function fnmatch(pattern: string, subject: string): boolean {
  if (pattern === '') return subject === ''
  if (pattern[0] === '*')
    return fnmatch(pattern.slice(1), subject) || (subject !== '' && fnmatch(pattern, subject.slice(1)))
  const set = /^\[(!?)(\]?[^\]]*)\]/.exec(pattern)
  if (set !== null && (set[2] as string).length > 0) {
    const inSet = (set[2] as string).includes(subject[0] ?? '\0')
    return (
      subject !== '' && inSet === (set[1] === '') && fnmatch(pattern.slice(set[0].length), subject.slice(1))
    )
  }
  return (
    subject !== '' &&
    (pattern[0] === '?' || pattern[0] === subject[0]) &&
    fnmatch(pattern.slice(1), subject.slice(1))
  )
}

const part = fc.constantFrom('a', 'b', '/', '*', '?', '[ab]', '[!a]', '[!ab]', '[')
const pattern = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
const subject = fc
  .array(fc.constantFrom('a', 'b', 'c', '/', '['), { maxLength: 6 })
  .map((letters) => letters.join(''))
const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string[] | null> =>
  fc.option(fc.uniqueArray(item, { minLength: 1, maxLength: 4 }))
const letter = fc.constantFrom('a', 'b', 'c')
const attenuations: fc.Arbitrary<Attenuations> = fc
  .tuple(list(pattern), list(letter), list(letter), list(letter))
  .map(([channels, packages, permissions, storeIds]) => ({ channels, packages, permissions, storeIds }))
const use = fc.record({ channel: subject, packageId: letter, permission: letter, storeId: letter })

test('a pattern matches the same strings as an exhaustive matcher', () => {
  fc.assert(
    fc.property(pattern, subject, (p, s) => assert.equal(matchesPattern(p, s), fnmatch(p, s))),
    sampled(180_000),
  )
})

test('every match of an included pattern matches the wider one', () => {
  fc.assert(
    fc.property(pattern, pattern, subject, (wide, narrow, s) => {
      if (includesPattern(wide, narrow) && fnmatch(narrow, s)) assert.ok(fnmatch(wide, s))
    }),
    sampled(200_000),
  )
})

/** Like `permits`, with the second matcher. */
function accepts(
  a: Attenuations,
  u: { channel: string; packageId: string; permission: string; storeId: string },
): boolean {
  return (
    (a.channels === null || a.channels.some((p) => fnmatch(p, u.channel))) &&
    (a.packages === null || a.packages.includes(u.packageId)) &&
    (a.permissions === null || a.permissions.includes(u.permission)) &&
    (a.storeIds === null || a.storeIds.includes(u.storeId))
  )
}

test('an intersection permits only what both of its parts permit', () => {
  fc.assert(
    fc.property(attenuations, attenuations, use, (a, b, u) => {
      const both = intersectAttenuations(a, b)
      assert.equal(permits(both, u), accepts(both, u))
      if (accepts(both, u)) assert.ok(accepts(a, u) && accepts(b, u))
    }),
    sampled(70_000),
  )
})

test('lists without patterns intersect exactly, and an intersection with itself is unchanged', () => {
  fc.assert(
    fc.property(attenuations, attenuations, use, (a, b, u) => {
      const plain = (x: Attenuations): Attenuations => ({ ...x, channels: null })
      const both = intersectAttenuations(plain(a), plain(b))
      assert.equal(accepts(both, u), accepts(plain(a), u) && accepts(plain(b), u))
      assert.deepEqual(intersectAttenuations(a, a), a)
    }),
    sampled(50_000),
  )
})

test('a holder who appends conditions can only lose permissions', () => {
  fc.assert(
    fc.property(attenuations, fc.array(attenuations, { maxLength: 3 }), use, (issued, appended, u) => {
      const conditions = [issued, ...appended].map(formatExtra)
      if (accepts(effectiveAttenuations(conditions), u)) assert.ok(accepts(issued, u))
    }),
    sampled(20_000),
  )
})

test('reads extra as it was written', () => {
  fc.assert(
    fc.property(attenuations, (a) => assert.deepEqual(parseExtra(formatExtra(a).slice('extra '.length)), a)),
    sampled(50_000),
  )
})

test('hostile conditions are met or throw a ConditionError, and nothing else', () => {
  const name = fc.constantFrom(
    'time-before',
    'time-since',
    'extra',
    'declared',
    'session-id',
    'error',
    'need-declared',
  )
  const argument = fc.oneof(
    text,
    fc.json(),
    fc
      .dictionary(fc.constantFrom('acl', 'channel', '__proto__'), fc.jsonValue())
      .map((v) => JSON.stringify(v)),
    fc.date({ noInvalidDate: true }).map((d) => d.toISOString()),
  )
  const condition = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(name, argument).map(([n, a]) => `${n} ${a}`),
  )
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 4 }), (conditions) => {
      try {
        const declared = declaredValues(conditions)
        for (const c of conditions) parseNeedDeclared(c)
        effectiveAttenuations(conditions)
        checkConditions(conditions, TOKEN_CHECKERS, { now: new Date(0), declared })
      } catch (error) {
        assert.ok(error instanceof ConditionError, String(error))
      }
    }),
    sampled(20_000),
  )
})
