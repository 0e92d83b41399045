/** Checks that each planted bug can be planted; `npm run test:faults` checks that it is seen. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { INVARIANTS } from './check/invariants.ts'
import { PLANTED } from './planted.ts'

for (const { breaks, bug, replacements } of PLANTED) {
  test(`${breaks}: ${bug}`, () => {
    for (const { file, from } of replacements) {
      const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
      assert.equal(text.split(from).length - 1, 1, `${file} does not have once: ${from}`)
    }
  })
}

test('every invariant has a bug that breaks it', () => {
  const broken = new Set(PLANTED.map(({ breaks }) => breaks))
  assert.deepEqual(
    INVARIANTS.map(({ name }) => name).filter((name) => !broken.has(name)),
    [],
  )
})
