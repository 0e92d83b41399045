import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

for (const [text, iso] of [
  ['2020-06-01T12:00:00Z', '2020-06-01T12:00:00.000Z'],
  ['2020-06-01T12:00:00.5Z', '2020-06-01T12:00:00.500Z'],
  ['2020-06-01T12:00:00.123999999Z', '2020-06-01T12:00:00.123Z'],
  ['2020-06-01T12:00:00+02:00', '2020-06-01T10:00:00.000Z'],
  ['2020-06-01T12:00:00-23:59', '2020-06-02T11:59:00.000Z'],
  ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
] as const) {
  test(`reads ${text}`, () => {
    assert.deepEqual(parseTimestamp(text), { date: new Date(iso) })
  })
}

for (const text of [
  '',
  '2020-6-01T12:00:00Z',
  '2020-06-01 12:00:00Z',
  '2020-06-01t12:00:00Z',
  '2020-06-01T12:00Z',
  '2020-06-01T12:00:00',
  '2020-06-01T12:00:00z',
  '2020-06-01T12:00:00,5Z',
  '2020-06-01T12:00:00.Z',
  '2020-06-01T12:00:00+0200',
  '2020-06-01T12:00:00Z ',
  '2020-06-01T12:00:00Z\n',
]) {
  test(`refuses ${JSON.stringify(text)}, which does not have the form of a time`, () => {
    assert.deepEqual(parseTimestamp(text), { fault: 'is not a time such as 2026-01-27T10:12:02Z (RFC 3339)' })
  })
}

for (const text of [
  '2020-02-30T12:00:00Z',
  '2019-02-29T12:00:00Z',
  '2020-13-01T12:00:00Z',
  '2020-06-01T24:00:00Z',
  '2020-06-01T12:60:00Z',
  '2020-06-01T12:00:60Z',
  '2020-06-01T12:00:00+24:00',
  '2020-06-01T12:00:00+00:60',
  // In UTC these are in the years -1 and 10000.
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
]) {
  test(`refuses ${text}, which does not exist`, () => {
    assert.deepEqual(parseTimestamp(text), { fault: 'is a time that does not exist' })
  })
}

test('writes instants in UTC and whole seconds', () => {
  const date = new Date('2026-01-27T10:12:02.999Z')
  assert.equal(formatTimestamp(date), '2026-01-27T10:12:02Z')
  for (const bad of [new Date(Number.NaN), new Date(8.64e15), new Date(-1e15)]) {
    assert.throws(() => formatTimestamp(bad), TypeError)
  }
})
