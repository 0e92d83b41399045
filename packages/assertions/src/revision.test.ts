import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decoded } from '../test/vectors.ts'
import { checkReplaces } from './revision.ts'

const [first, third] = [decoded('valid/serial'), decoded('valid/serial-revision-body')]

test('a higher revision replaces a lower one, and any revision can be the first', () => {
  checkReplaces(first, undefined)
  checkReplaces({ ...first, revision: 1 }, first)
  assert.equal(third.revision, 3)
})

for (const [proposed, stored, code] of [
  [0, 0, 'same-revision'],
  [3, 3, 'same-revision'],
  [2, 3, 'older-revision'],
] as const) {
  test(`revision ${proposed} does not replace ${stored}`, () => {
    const check = () => checkReplaces({ ...first, revision: proposed }, { ...first, revision: stored })
    assert.throws(check, { code })
  })
}

test('throws a TypeError for an assertion about something else', () => {
  assert.throws(() => checkReplaces(decoded('valid/model-acme-classic'), first), TypeError)
  const other = { ...first, primaryKey: ['acme-brand', 'acme-classic', 'other'] }
  assert.throws(() => checkReplaces(other, first), TypeError)
})
