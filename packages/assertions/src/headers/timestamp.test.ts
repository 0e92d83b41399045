import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeInstant, formatTimestamp, parseTimestamp } from './timestamp.ts'

for (const [text, iso] of [
  ['2020-06-01T12:00:00Z', '2020-06-01T12:00:00.000Z'],
  ['2020-06-01T12:00:00.5Z', '2020-06-01T12:00:00.500Z'],
  ['2020-06-01T12:00:00.123999999Z', '2020-06-01T12:00:00.123Z'],
  ['2020-06-01T12:00:00+02:00', '2020-06-01T10:00:00.000Z'],
  ['2020-06-01T12:00:00-23:59', '2020-06-02T11:59:00.000Z'],
  ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
] as const) {
  test(`${text} is read`, () => {
    assert.deepEqual(parseTimestamp(text), { date: new Date(iso) })
  })
}

const as = (text: string, fault: string) =>
  `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse ${fault}`
for (const [text, fault] of [
  ['', as('', '"" as "2006"')],
  ['2020-6-01T12:00:00Z', as('2020-6-01T12:00:00Z', '"6-01T12:00:00Z" as "01"')],
  ['2020-06-01 12:00:00Z', as('2020-06-01 12:00:00Z', '" 12:00:00Z" as "T"')],
  ['2020-06-01t12:00:00Z', as('2020-06-01t12:00:00Z', '"t12:00:00Z" as "T"')],
  ['2020-06-01T12:00Z', as('2020-06-01T12:00Z', '"Z" as ":"')],
  ['2020-06-01T12:00:00', as('2020-06-01T12:00:00', '"" as "Z07:00"')],
  ['2020-06-01T12:00:00z', as('2020-06-01T12:00:00z', '"z" as "Z07:00"')],
  ['2020-06-01T12:00:00,5Z', as('2020-06-01T12:00:00,5Z', '",5Z" as "Z07:00"')],
  ['2020-06-01T12:00:00.Z', as('2020-06-01T12:00:00.Z', '".Z" as "Z07:00"')],
  ['2020-06-01T12:00:00+0200', as('2020-06-01T12:00:00+0200', '"+0200" as "Z07:00"')],
  ['2020-06-01T12:00:00Z ', 'parsing time "2020-06-01T12:00:00Z ": extra text: " "'],
  ['2020-02-30T12:00:00Z', 'parsing time "2020-02-30T12:00:00Z": value out of range'],
  ['2019-02-29T12:00:00Z', 'parsing time "2019-02-29T12:00:00Z": value out of range'],
  ['2020-13-01T12:00:00Z', 'parsing time "2020-13-01T12:00:00Z": value out of range'],
  ['2020-06-01T24:00:00Z', 'parsing time "2020-06-01T24:00:00Z": value out of range'],
  ['2020-06-01T12:60:00Z', 'parsing time "2020-06-01T12:60:00Z": value out of range'],
  ['2020-06-01T12:00:60Z', 'parsing time "2020-06-01T12:00:60Z": value out of range'],
  ['2020-06-01T12:00:00+24:00', 'parsing time "2020-06-01T12:00:00+24:00": value out of range'],
  ['2020-06-01T12:00:00+00:60', 'parsing time "2020-06-01T12:00:00+00:60": value out of range'],
] as const) {
  test(`${JSON.stringify(text)} is refused, in Go's words`, () => {
    assert.deepEqual(parseTimestamp(text), { fault })
  })
}

test('instants are written in UTC, in whole seconds', () => {
  const date = new Date('2026-01-27T10:12:02.999Z')
  assert.equal(formatTimestamp(date), '2026-01-27T10:12:02Z')
  assert.equal(describeInstant(date), '2026-01-27 10:12:02 +0000 UTC')
  for (const bad of [new Date(Number.NaN), new Date(8.64e15), new Date(-1e15)]) {
    assert.throws(() => formatTimestamp(bad), TypeError)
  }
})
