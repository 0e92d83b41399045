/** Guarantee: no test file is left out, and a full run includes those that do more in it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ALL_TESTS, FOLDERS, passesOf, TIMED } from './passes.ts'

const files = [
  { path: 'pure.test.ts', text: "import { parse } from './parse.ts'" },
  { path: 'database.test.ts', text: "import { eachDatabase } from '../support/databases.ts'" },
  { path: 'process.test.ts', text: "import { spawn } from 'node:child_process'" },
  { path: 'packages/server/src/keyring/one.test.ts', text: "import '../../test/support/databases.ts'" },
  { path: 'many.test.ts', text: "import { FULL } from '../../../../tools/test/effort.ts'" },
]

test('a file that touches nothing outside shares a process; every file runs once', () => {
  const passes = passesOf(files, { full: false })
  assert.deepEqual(
    passes.map(({ name, files }) => [name, files]),
    [
      ['tests without databases', ['pure.test.ts', 'many.test.ts']],
      ['database.test.ts', ['database.test.ts']],
      ['process.test.ts', ['process.test.ts']],
      ['packages/server/src', ['packages/server/src/keyring/one.test.ts']],
    ],
  )
})

test('every test file of the project runs once, and what `passes.ts` names is there', () => {
  const paths = globSync(ALL_TESTS)
  assert.ok(paths.length > 100)
  const real = paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const run = passesOf(real, { full: false }).flatMap(({ files }) => files)
  assert.deepEqual(run.toSorted(), paths.toSorted())
  for (const path of TIMED) assert.ok(paths.includes(path), path)
  for (const folder of FOLDERS)
    assert.ok(
      paths.some((path) => path.startsWith(`${folder}/`)),
      folder,
    )
})

test('a full run takes the files that read whether it is one', () => {
  const passes = passesOf(files, { full: true })
  assert.deepEqual(
    passes.flatMap(({ files }) => files),
    ['many.test.ts'],
  )
})

test('no test file has a hook for each test outside a suite: it would run for the tests of other files too', () => {
  const hooked = globSync(ALL_TESTS).filter((path) =>
    /^(before|after)Each\(/m.test(readFileSync(path, 'utf8')),
  )
  assert.deepEqual(hooked, [])
})
