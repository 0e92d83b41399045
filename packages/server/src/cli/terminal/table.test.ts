import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitTable, widthOf } from './table.ts'

for (const [text, width] of [
  ['abc', 3],
  ['日本語', 6],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['e\u0301', 1],
  ['👩‍💻', 2],
  ['', 0],
] as const) {
  test(`${JSON.stringify(text)} is ${width} cells wide`, () => assert.equal(widthOf(text), width))
}

test('columns with wide characters line up', () => {
  const { lines } = fitTable([
    ['ID', 'NAME', 'X'],
    ['1', '日本語', 'a'],
    ['2', 'Ann', 'b'],
  ])
  assert.deepEqual(lines, ['ID  NAME    X', '1   日本語  a', '2   Ann     b'])
})

test('a given width cuts the widest columns, but never the first', () => {
  const id = 'f'.repeat(30)
  const { lines, cut } = fitTable(
    [
      ['ID', 'NAME', 'TEXT'],
      [id, 'Ann', 'a long text that goes well beyond the width'],
    ],
    { width: 60 },
  )
  assert.equal(cut, true)
  assert.deepEqual(lines[1], `${id}  Ann   a long text that goes…`)
  for (const line of lines) assert.ok(widthOf(line) <= 60, line)
})

test('a table that fits is not cut', () => {
  assert.deepEqual(fitTable([['ID'], ['one']], { width: 3 }), {
    lines: ['ID', 'one'],
    widths: [3],
    cut: false,
  })
})

test('lines are longer than the terminal if nothing more can be cut', () => {
  const { lines } = fitTable([['12345678901234567890', '12345678']], { width: 10 })
  assert.deepEqual(lines, ['12345678901234567890  12345678'])
})
