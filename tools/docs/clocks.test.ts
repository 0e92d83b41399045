// Few files may use the machine's clock, and the decision about time lists each with a reason.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const DECISION = 'docs/decisions/0058-one-clock.md'
const CLOCK = 'packages/server/src/clock.ts'

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const sources = globSync('packages/*/{src,bin}/**/*.{ts,js}', { cwd: ROOT }).filter(
  (path) => !path.endsWith('.test.ts'),
)

/** Expressions that read the machine's clock. A UUID v7 without `msecs` also reads it. */
const READS =
  /\bnew Date\(\)|\bnew Date\b(?!\()|\bDate\(\)|\bDate\.now\b|\bv7\(\)|\bv1\(\)|\btimeOrigin\b|\bTemporal\.Now\b/

test(`only ${CLOCK} reads the machine's clock`, () => {
  assert.ok(sources.length > 1_000)
  const withoutComments = (path: string) => textOf(path).replace(/^\s*(\/\/|\/?\*).*$/gm, '')
  assert.deepEqual(
    sources.filter((path) => READS.test(withoutComments(path))),
    [CLOCK],
  )
})

test(`${DECISION} gives a reason for every file that uses the machine's clock`, () => {
  const rows = [...textOf(DECISION).matchAll(/^\| `(\S+\.ts)` \| (.+) \|$/gm)]
  const listed = rows.map(([, path = '']) => `packages/server/src/${path}`)
  const users = sources.filter((path) => path !== CLOCK && /\bsystemClock\b/.test(textOf(path)))
  assert.deepEqual(listed.toSorted(), users.toSorted())
  for (const [row, , reason = ''] of rows) assert.ok(reason.length > 10, row)
})
