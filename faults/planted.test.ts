/** Checks that each bug can be planted, and that the next release can be built. `npm run test:faults` runs them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { replace } from '../tools/test/bundle.ts'
import { ROOT } from '../tools/test/programs.ts'
import { INVARIANTS } from './check/invariants.ts'
import { PLANTED } from './planted.ts'
import { NEXT_MIGRATION, NEXT_RELEASE } from './world/release.ts'

for (const { breaks, bug, replacements } of PLANTED) {
  test(`${breaks}: ${bug}`, () => {
    for (const each of replacements) {
      const text = readFileSync(join(ROOT, each.file), 'utf8')
      assert.notEqual(replace(text, each), text)
    }
  })
}

test('the next release can be built from this checkout', () => {
  const text = readFileSync(join(ROOT, NEXT_RELEASE.file), 'utf8')
  assert.ok(replace(text, NEXT_RELEASE).includes(NEXT_MIGRATION))
})

test('every invariant has a bug that breaks it', () => {
  const broken = new Set(PLANTED.map(({ breaks }) => breaks))
  assert.deepEqual(
    INVARIANTS.map(({ name }) => name).filter((name) => !broken.has(name)),
    [],
  )
})
