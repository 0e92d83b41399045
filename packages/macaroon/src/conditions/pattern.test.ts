import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  effectiveAttenuations,
  includesPattern,
  intersectAttenuations,
  matchesPattern,
  PatternBudget,
  UNRESTRICTED,
} from './index.ts'

for (const [wide, narrow, expected] of [
  ['*', '*', true],
  ['*', 'latest/edge', true],
  ['*', '', true],
  ['', '*', false],
  ['latest/*', 'latest/edge', true],
  ['latest/*', 'latest/e*', true],
  ['latest/*', '*', false],
  ['latest/*', 'latest', false],
  ['latest/edge', 'latest/*', false],
  ['*/edge', '*e/edge', true],
  ['?*', '*', false],
  ['*?', '??', true],
  ['*?', '?*', true],
  ['[a-c]', '[ab]', true],
  ['[ab]', '[a-c]', false],
  ['[!a]', '[bc]', true],
  ['[!a]', '?', false],
  ['?', '[!a]', true],
  ['[!a]', '[!ab]', true],
  ['[!ab]', '[!a]', false],
  ['a**b', 'a*b', true],
  ['*a*b*', 'xaybz', true],
  ['2.[0-9]/stable', '2.5/stable', true],
  ['2.[0-9]/stable', '2.?/stable', false],
  ['?*', '*a*', true],
  ['*?', '*b', true],
  ['??*', '*a', false],
  ['??*', '*a?*', true],
  ['*?a', '*ba', true],
  ['*[a-m]*', '[a-z]*[a-m]', true],
  ['*[ab][ab]*', '*a*b*', false],
  // In fact it is included, but the comparison can't show it. False can narrow a token, but never widen it.
  ['*ab*', 'a[ab]b', false],
] as const) {
  test(`${wide} ${expected ? 'includes' : 'does not include'} ${narrow}`, () => {
    assert.equal(includesPattern(wide, narrow), expected)
  })
}

test('matching is case-sensitive, and treats a slash like any other character', () => {
  assert.equal(matchesPattern('*', 'a/b/c'), true)
  assert.equal(matchesPattern('Edge', 'edge'), false)
  assert.equal(matchesPattern('?', '😀'), true)
})

// Guarantee: hostile patterns cost only milliseconds before they are refused.
test('soon refuses patterns that would take long to compare', () => {
  const stars = (c: string): string[] => Array.from({ length: 256 }, (_, i) => `${'*?'.repeat(50)}${c}${i}`)
  const a = { ...UNRESTRICTED, channels: stars('a') }
  const b = { ...UNRESTRICTED, channels: stars('b') }
  const begin = process.cpuUsage()
  assert.throws(() => intersectAttenuations(a, b), {
    code: 'limit-exceeded',
    message: 'The channel patterns are too complicated to compare',
  })
  const { user, system } = process.cpuUsage(begin)
  // CPU time in microseconds, because the machine may be busy with something else.
  assert.ok(user + system < 1_000_000)
})

test('compares two long lists of ordinary channels', () => {
  const a = Array.from({ length: 256 }, (_, i) => `${i}.*/stable`)
  const b = Array.from({ length: 256 }, (_, i) => `${i}.0/stable`)
  const both = intersectAttenuations({ ...UNRESTRICTED, channels: a }, { ...UNRESTRICTED, channels: b })
  assert.deepEqual(both.channels, b)
})

test('compares two long lists with a long common start', () => {
  const list = (suffix: string) => Array.from({ length: 256 }, (_, i) => `latest/stable/hotfix-${i}${suffix}`)
  const channels = (a: string[], b: string[]) =>
    intersectAttenuations({ ...UNRESTRICTED, channels: a }, { ...UNRESTRICTED, channels: b }).channels
  assert.deepEqual(channels(list(''), list('x')), [])
  assert.deepEqual(channels(list('-*'), list('-1')), list('-1'))
  assert.deepEqual(channels(['latest/stable/hotfix-[7]', '2/edge'], list('')), [
    'latest/stable/hotfix-[7]',
    'latest/stable/hotfix-7',
  ])
})

test('comparing a pattern of many stars needs steps in proportion to both lengths', () => {
  const stars = '*a'.repeat(30)
  const budget = new PatternBudget(2 * stars.length ** 2)
  assert.equal(includesPattern(stars, `${stars}b`, budget), false)
  assert.equal(includesPattern(`${stars}*`, `${stars}b`, budget), true)
})

// Guarantee: the maximum cost of a request does not grow with the number of its macaroons.
test('several sets of conditions of a request share a budget', () => {
  const budget = new PatternBudget(2_000)
  const set = (name: string) => [
    `extra {"channel": ["${'*?'.repeat(20)}${name}"]}`,
    `extra {"channel": ["${'?*'.repeat(20)}${name}${name}"]}`,
  ]
  const read = () => {
    for (let i = 0; i < 16; i++) effectiveAttenuations(set(`a${i}`), budget)
  }
  for (let i = 0; i < 16; i++) effectiveAttenuations(set(`a${i}`), new PatternBudget(2_000))
  assert.throws(read, { code: 'limit-exceeded' })
})

test('parses a list once that many conditions repeat', () => {
  const list = Array.from({ length: 100 }, (_, i) => `${i}/${'x'.repeat(100)}`)
  const condition = `extra ${JSON.stringify({ channel: list })}`
  const budget = new PatternBudget(2 * list.join('').length)
  assert.deepEqual(effectiveAttenuations(Array(128).fill(condition), budget).channels, list)
})
