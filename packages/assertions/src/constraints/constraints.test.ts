import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHeaders } from '../headers/parse-headers.ts'
import { constraintsAllow, readConstraints } from './constraints.ts'

const entry = (condition: string) =>
  readConstraints(parseHeaders(`constraints:\n  -\n    headers:\n      type: model\n      ${condition}`))

test('a pattern must match each item of a list, and never matches a missing header', () => {
  const constraints = entry('x: a.*')
  const allows = (text: string) => constraintsAllow(constraints, parseHeaders(`type: model\n${text}`))
  assert.ok(allows('x: ab'))
  assert.ok(allows('x:\n  - a\n  - ab'))
  assert.ok(!allows('x:\n  - a\n  - b'))
  assert.ok(!allows('x:\n  a: a'))
  assert.ok(!allows('y: a'))
})

test('a map of patterns must match those entries of a map, which can have others', () => {
  const constraints = entry('x:\n        a: 1\n        b:\n          - 2\n          - 3')
  const allows = (text: string) => constraintsAllow(constraints, parseHeaders(`type: model\n${text}`))
  assert.ok(allows('x:\n  a: 1\n  b: 3\n  c: 4'))
  assert.ok(!allows('x:\n  a: 1\n  b: 4'))
  assert.ok(!allows('x:\n  a: 1'))
  assert.ok(!allows('x: 1'))
})

test('$MISSING allows only assertions without the header', () => {
  const constraints = entry('x: $MISSING')
  const allows = (text: string) => constraintsAllow(constraints, parseHeaders(`type: model\n${text}`))
  assert.ok(allows('y: a'))
  for (const text of ['x: $MISSING', 'x: a', 'x:\n  - a']) assert.ok(!allows(text), text)
  assert.ok(!constraintsAllow(entry('x:\n        - $MISSING\n        - a'), parseHeaders('type: model')))
})

test('a key without constraints can sign anything, and one with an empty list nothing', () => {
  const headers = parseHeaders('type: model')
  assert.ok(constraintsAllow(undefined, headers))
  assert.ok(!constraintsAllow([], headers))
  assert.equal(readConstraints(headers), undefined)
})

// Guarantee: the patterns in 128 KiB of headers can't fill the memory.
test('limits the total size of all patterns of a key', () => {
  const patterns = (count: number) => Array.from({ length: count }, (_, i) => `x${i}: (a|b){150}`)
  const read = (count: number) => entry(patterns(count).join('\n      '))
  assert.equal(read(10)?.length, 1)
  assert.throws(() => read(20), {
    code: 'malformed-header',
    message: 'header "constraints" has a bad pattern: the pattern is too large',
  })
})
