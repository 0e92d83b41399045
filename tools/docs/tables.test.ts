// Every table is bounded, and docs/operations/observe.md lists the bound of each.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKS } from '../../packages/server/src/checkup/run-checks.ts'
import { VARIABLES } from '../../packages/server/src/config/variables.ts'
import { tableNames } from '../../packages/server/src/database/index.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operations/observe.md'), 'utf8')
const section = page.split(/^## What grows$/m)[1]?.split(/^## /m)[0] ?? ''
const rows = [...section.matchAll(/^\| (`.*?) \| (.*?) \| (.+) \|$/gm)]

test('docs/operations/observe.md lists the bound of every table once', () => {
  const documented = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  // The migrations create these two tables themselves.
  const tables = [...tableNames('sqlite'), 'schema_lock', 'schema_migration']
  assert.deepEqual(documented.toSorted(), tables.toSorted())
  assert.deepEqual(new Set(tableNames('postgres')), new Set(tableNames('sqlite')))
  for (const [, names, , bound = ''] of rows) assert.ok(bound.length > 2, `${names}: no bound`)
})

test('every retention setting is in the table', () => {
  const limits = Object.keys(VARIABLES).filter((name) => name.startsWith('RATAFIA_RETENTION_'))
  assert.deepEqual(
    [...section.matchAll(/RATAFIA_RETENTION_\w+/g)].map(([name]) => name).toSorted(),
    limits.toSorted(),
  )
})

test('docs/operations/secrets-and-backup.md lists every check of `ratafia verify` with its condition', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operations/secrets-and-backup.md'), 'utf8')
  const [, table = ''] = text.split('| check | what must be true |\n|---|---|\n')
  const documented = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(.+)` \| (.+) \|$/gm)]
  assert.deepEqual(
    documented.map(([, name, holds]) => [name, holds]),
    CHECKS.map(({ name, holds }) => [name, holds]),
  )
})
