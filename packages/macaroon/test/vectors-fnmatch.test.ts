import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPattern } from '../src/conditions/index.ts'
import { vectors } from './vectors.ts'

const { source, texts, patterns } = vectors<{
  source: string
  texts: string[]
  patterns: [pattern: string, matching: string[]][]
}>('fnmatch')

test(`patterns match the same strings as in ${source.split(':')[0]}`, () => {
  assert.ok(patterns.length > 200)
  for (const [pattern, matching] of patterns) {
    assert.deepEqual(
      texts.filter((text) => matchesPattern(pattern, text)),
      matching,
      pattern,
    )
  }
})
