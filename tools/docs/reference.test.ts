// docs/reference.md matches the program.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VARIABLES } from '../../packages/server/src/config/variables.ts'
import { REFERENCE, referencePage } from './reference.ts'

test('docs/reference.md matches the program (otherwise run `npm run docs:reference`)', async () => {
  assert.equal(readFileSync(REFERENCE, 'utf8'), await referencePage())
})

test('docs/reference.md lists every variable once', () => {
  const names = [...readFileSync(REFERENCE, 'utf8').matchAll(/^\| `((?:RATAFIA|OTEL)_\w+)` \|/gm)]
  assert.deepEqual(names.map(([, name]) => name).toSorted(), Object.keys(VARIABLES).toSorted())
})
