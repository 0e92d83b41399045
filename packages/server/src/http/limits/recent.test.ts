import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Recent } from './refused-credentials.ts'

suite('recent strings', () => {
  test('remembers the last strings, with any others in between, and forgets older ones', () => {
    const recent = new Recent(3)
    for (const text of ['a', 'b', 'b', 'c', 'd', 'e']) recent.add(text)
    const known = ['a', 'b', 'c', 'd', 'e', 'f'].filter((text) => recent.has(text))
    assert.deepEqual(known, ['a', 'b', 'c', 'd', 'e'])
    for (const text of ['f', 'g']) recent.add(text)
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter((text) => recent.has(text)),
      ['d', 'e', 'f', 'g'],
    )
  })

  test('forgets a deleted text, wherever it was', () => {
    const recent = new Recent(2)
    for (const text of ['a', 'b', 'c']) recent.add(text)
    recent.delete('a')
    recent.delete('c')
    assert.deepEqual(
      ['a', 'b', 'c'].filter((text) => recent.has(text)),
      ['b'],
    )
  })

  test('does not grow past twice its size', () => {
    const recent = new Recent(10)
    const texts = Array.from({ length: 1_000 }, (_, at) => `text ${at}`)
    for (const text of texts) recent.add(text)
    assert.ok(texts.filter((text) => recent.has(text)).length <= 20)
  })
})
