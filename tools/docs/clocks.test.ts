// The clock of a machine is used in few places, and the decision about time has a reason for each.

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

/** Ways to read the clock of the machine. A UUID v7 without `msecs` reads it, too. */
const READS =
  /\bnew Date\(\)|\bnew Date\b(?!\()|\bDate\(\)|\bDate\.now\b|\bv7\(\)|\bv1\(\)|\btimeOrigin\b|\bTemporal\.Now\b/

test(`no source reads the clock of the machine but ${CLOCK}`, () => {
  assert.ok(sources.length > 1_000)
  const withoutComments = (path: string) => textOf(path).replace(/^\s*(\/\/|\/?\*).*$/gm, '')
  assert.deepEqual(
    sources.filter((path) => READS.test(withoutComments(path))),
    [CLOCK],
  )
})

test(`${DECISION} has a reason for every file that uses it`, () => {
  const rows = [...textOf(DECISION).matchAll(/^\| `(\S+\.ts)` \| (.+) \|$/gm)]
  const listed = rows.map(([, path = '']) => `packages/server/src/${path}`)
  const users = sources.filter((path) => path !== CLOCK && /\bsystemClock\b/.test(textOf(path)))
  assert.deepEqual(listed.toSorted(), users.toSorted())
  for (const [row, , reason = ''] of rows) assert.ok(reason.length > 10, row)
})
