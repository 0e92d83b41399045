/** Checks that each bug can be planted, and that the next release can be built. `npm run test:faults` runs them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { replace } from '../tools/test/bundle.ts'
import { ROOT } from '../tools/test/programs.ts'
import { INVARIANTS } from './check/invariants.ts'
import { byRelease, PLANTED } from './planted.ts'
import { NEXT_MIGRATION, NEXT_RELEASE } from './world/release.ts'

for (const bugs of byRelease(PLANTED)) {
  test(`one release: ${bugs.map(({ bug }) => bug).join('; ')}`, () => {
    const texts = new Map<string, string>()
    for (const each of bugs.flatMap(({ replacements }) => replacements)) {
      const text = texts.get(each.file) ?? readFileSync(join(ROOT, each.file), 'utf8')
      assert.notEqual(replace(text, each), text)
      texts.set(each.file, replace(text, each))
    }
    assert.equal(new Set(bugs.map(({ during }) => during?.name)).size, 1, 'they need one fault')
    const findings = bugs.map(({ breaks, finding }) => `${breaks} ${finding}`)
    assert.equal(new Set(findings).size, bugs.length, 'each needs its own findings')
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
