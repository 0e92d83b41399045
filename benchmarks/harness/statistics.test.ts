import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, percentile } from './statistics.ts'

test('a median is the middle figure, or the mean of the two middle ones', () => {
  assert.equal(median([9, 1, 10]), 9)
  assert.equal(median([10, 1, 2, 100]), 6)
  assert.equal(median([5]), 5)
  assert.throws(() => median([]), TypeError)
})

test('a percentile is always one of the measured figures', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at)
  assert.equal(percentile(hundred, 0.99), 99)
  assert.equal(percentile(hundred, 0.5), 50)
  assert.equal(percentile([3, 7], 0.99), 7)
  assert.throws(() => percentile([], 0.5), TypeError)
})
