import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHeaders } from './parse-headers.ts'
import { writeHeader } from './write-headers.ts'

const map = (entries: Record<string, unknown>) => new Map(Object.entries(entries))

for (const [name, text, value] of [
  ['an empty string', 'x: ', ''],
  ['a string with a colon and spaces', 'x:  a: b ', ' a: b '],
  ['a string with a carriage return', 'x: a\r', 'a\r'],
  ['one line of several', 'x:\n    a', 'a'],
  ['several lines, one empty, one indented further', 'x:\n    a\n    \n      b', 'a\n\n  b'],
  ['lines that look like a list', 'x:\n      - a\n    b', '  - a\nb'],
  ['a list', 'x:\n  - a\n  - \n  - b: c', ['a', '', 'b: c']],
  ['a list in a list', 'x:\n  -\n    - a\n  - b', [['a'], 'b']],
  ['lines in a list', 'x:\n  -\n      a\n      b', ['a\nb']],
  ['a map', 'x:\n  a: 1\n  b-2: 2', map({ a: '1', 'b-2': '2' })],
  [
    'a map in a map in a list',
    'x:\n  -\n    a:\n      b: c\n    d: e',
    [map({ a: map({ b: 'c' }), d: 'e' })],
  ],
  ['a list in a map', 'x:\n  a:\n    - b', map({ a: ['b'] })],
  ['lines in a map', 'x:\n  a:\n      b\n      c', map({ a: 'b\nc' })],
  ['names that JavaScript knows', 'x:\n  constructor: a', map({ constructor: 'a' })],
] as const) {
  test(`reads and writes ${name}`, () => {
    const headers = parseHeaders(text)
    assert.deepEqual(headers, new Map([['x', value]]))
    const [[header, read] = ['', '']] = headers
    // A single line in the form of several is the only text here that is not canonical.
    if (value !== 'a') assert.equal(writeHeader(header, read).join('\n'), text)
  })
}

test('reads the headers after a nested value', () => {
  const headers = parseHeaders('a:\n  -\n    b:\n        c\nd:\n  e: f\ng: h')
  assert.deepEqual(
    headers,
    new Map<string, unknown>([
      ['a', [map({ b: 'c' })]],
      ['d', map({ e: 'f' })],
      ['g', 'h'],
    ]),
  )
})

test('leaves out empty lists and maps, and those that contain nothing else', () => {
  assert.deepEqual(writeHeader('x', []), [])
  assert.deepEqual(writeHeader('x', new Map()), [])
  assert.deepEqual(writeHeader('x', [[], new Map([['a', []]])]), [])
  assert.deepEqual(writeHeader('x', [[], 'a']), ['x:', '  - a'])
  assert.deepEqual(writeHeader('x', ['']), ['x:', '  - '])
})
