import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVarint, varint } from './varint.ts'

for (const [hex, value] of [
  ['00', 0],
  ['7f', 127],
  ['8001', 128],
  ['c801', 200],
  ['8700', 7],
  ['ffffffff07', 0x7fffffff],
  ['ff808080808080808000', 127],
] as const) {
  test(`reads ${hex} as ${value}`, () => {
    assert.deepEqual(readVarint(Buffer.from(`ff${hex}aa`, 'hex'), 1), [value, 1 + hex.length / 2])
  })
}

// Guarantee: the reader never returns a length that could make a sum overflow.
for (const hex of [
  '',
  '80',
  '8080808008',
  'ffffffffffffffffff01',
  'ffffffffffffffffffff01',
  '8080808080808080808000',
]) {
  test(`refuses ${hex || 'nothing'} as a number`, () =>
    assert.equal(readVarint(Buffer.from(hex, 'hex'), 0), undefined))
}

test('writes numbers in their shortest form', () => {
  for (const value of [0, 1, 127, 128, 300, 0x3fff, 0x4000, 0x7fffffff]) {
    const written = varint(value)
    assert.deepEqual(readVarint(written, 0), [value, written.length])
    assert.ok(written.length === 1 || written.at(-1) !== 0)
  }
})
