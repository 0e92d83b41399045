import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkTimeBefore,
  checkTimeSince,
  earliestTimeBefore,
  formatTimeBefore,
  formatTimeSince,
  formatTimestamp,
  latestTimeSince,
  parseTimestamp,
} from './index.ts'

const READ: readonly [string, string][] = [
  ['2026-01-27T10:12:02Z', '2026-01-27T10:12:02.000Z'],
  ['2026-01-27T10:12:02.822241Z', '2026-01-27T10:12:02.822Z'],
  ['2026-01-27T10:12:02.999999999Z', '2026-01-27T10:12:02.999Z'],
  ['2026-01-27T10:12:02.1Z', '2026-01-27T10:12:02.100Z'],
  ['2026-01-27T10:12:02+02:30', '2026-01-27T07:42:02.000Z'],
  ['2026-01-27T10:12:02-00:00', '2026-01-27T10:12:02.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
]
for (const [text, iso] of READ) {
  test(`reads ${text} as ${iso}`, () => assert.equal(parseTimestamp(text).toISOString(), iso))
}

// Guarantee: a string that Go would refuse is refused, even if `new Date` accepts it.
for (const text of [
  '',
  '2026-01-27',
  '2026-01-27T10:12:02',
  '2026-01-27 10:12:02Z',
  '2026-01-27t10:12:02Z',
  '2026-01-27T10:12:02z',
  '2026-01-27T10:12:02.Z',
  '2026-01-27T10:12Z',
  '2026-01-27T10:12:02+0230',
  '2026-01-27T10:12:02+24:00',
  '2026-01-27T10:12:02+02:60',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-27T24:00:00Z',
  '2026-01-27T10:60:00Z',
  '2026-01-27T10:12:60Z',
  '+002026-01-27T10:12:02Z',
  ' 2026-01-27T10:12:02Z',
  '2026-01-27T10:12:02Z\n',
  `2026-01-27T10:12:02.${'1'.repeat(30)}Z`,
  'Tue, 27 Jan 2026 10:12:02 GMT',
]) {
  test(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.throws(() => parseTimestamp(text), { code: 'malformed-condition', message: /^Not a time like / })
  })
}

test('writes a time in UTC with six digits', () => {
  const date = new Date('2026-01-27T10:12:02.822Z')
  assert.equal(formatTimestamp(date), '2026-01-27T10:12:02.822000Z')
  assert.equal(formatTimeBefore(date), 'time-before 2026-01-27T10:12:02.822000Z')
  assert.equal(formatTimeSince(date), 'time-since 2026-01-27T10:12:02.822000Z')
  assert.throws(() => formatTimestamp(new Date(Number.NaN)), TypeError)
  assert.throws(() => formatTimestamp(new Date(8.64e15)), TypeError)
})

// Guarantee: rounding never extends the validity of a token, at either end.
test('rounds time-before down and time-since up to a millisecond', () => {
  const now = new Date('2026-01-27T10:12:02.822Z')
  checkTimeBefore('2026-01-27T10:12:02.823Z', { now })
  assert.throws(() => checkTimeBefore('2026-01-27T10:12:02.822999Z', { now }), {
    code: 'expired',
    message: 'Expired at 2026-01-27T10:12:02.822Z',
    expiredAt: now,
  })
  checkTimeSince('2026-01-27T10:12:02.822000Z', { now })
  assert.throws(() => checkTimeSince('2026-01-27T10:12:02.822000001Z', { now }), {
    code: 'not-yet-valid',
    message: 'Not valid before 2026-01-27T10:12:02.823Z',
    validFrom: new Date('2026-01-27T10:12:02.823Z'),
  })
})

test('with an invalid clock, no time condition is met', () => {
  const now = new Date(Number.NaN)
  assert.throws(() => checkTimeBefore('2100-01-01T00:00:00Z', { now }), { code: 'expired' })
  assert.throws(() => checkTimeSince('2000-01-01T00:00:00Z', { now }), { code: 'not-yet-valid' })
})

test('returns the earliest time-before and the latest time-since', () => {
  const conditions = [
    'time-before 2026-01-02T00:00:00Z',
    'time-before 2026-01-01T00:00:00Z',
    'time-since 2025-01-01T00:00:00Z',
    'time-since 2025-01-02T00:00:00Z',
    'error no',
  ]
  assert.deepEqual(earliestTimeBefore(conditions), new Date('2026-01-01T00:00:00Z'))
  assert.deepEqual(latestTimeSince(conditions), new Date('2025-01-02T00:00:00Z'))
  assert.equal(earliestTimeBefore([]), undefined)
  assert.equal(latestTimeSince([]), undefined)
})
