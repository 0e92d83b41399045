import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from './random.ts'

const numbers = (seed: string, name: string) => {
  const random = seeded(seed, name)
  return Array.from({ length: 5 }, () => random.below(1_000_000))
}

test('the same seed and name give the same numbers, and others give different ones', () => {
  assert.deepEqual(numbers('1', 'client 1'), numbers('1', 'client 1'))
  assert.notDeepEqual(numbers('1', 'client 1'), numbers('1', 'client 2'))
  assert.notDeepEqual(numbers('1', 'client 1'), numbers('2', 'client 1'))
})

test('numbers are spread evenly, and rows are picked by their weight', () => {
  const random = seeded('1', 'spread')
  const rows = [{ weight: 1 }, { weight: 3 }, { weight: 0 }]
  const picked = [0, 0, 0]
  for (let i = 0; i < 10_000; i++) {
    const at = rows.indexOf(random.weighted(rows) ?? { weight: 9 })
    picked[at] = (picked[at] ?? 0) + 1
  }
  const [one = 0, three = 0, none] = picked
  assert.ok(one > 2_300 && one < 2_700, String(one))
  assert.equal(one + three, 10_000)
  assert.equal(none, 0)
})

test('picking from an empty list returns undefined', () => {
  const random = seeded('1', 'nothing')
  assert.equal(random.pick([]), undefined)
  assert.equal(random.weighted([]), undefined)
})
