import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { guardedCell, plainCell } from './csv-shape.ts'

test('security: no cell begins like a formula', () => {
  for (const [text, cell] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ["'=1", "''=1"],
    ['-_a9-', "'-_a9-"],
    ['\n=1', "'\n=1"],
    ['\uff1d1', "'\uff1d1"],
    ['SN-1', 'SN-1'],
    ['', ''],
  ] as const) {
    assert.equal(guardedCell(text), cell)
  }
})

test('returns every string unchanged', () => {
  const text = fc.string({
    unit: fc.constantFrom("'", '=', '-', '+', '@', '\t', '\n', '\uff1d', 'a', ' ', 'ü'),
  })
  fc.assert(fc.property(text, (each) => plainCell(guardedCell(each)) === each))
})
