import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { conformancePage, keepPage, type Result } from './conformance.ts'

const VERSIONS = { snapd: '2.57', fish: '3.6', 'crate x': '0.3, types of y 1.0' }
const result = (file: string, ...titles: readonly string[]): Result => ({ file, titles, passed: true })
const rowsOf = (...results: readonly Result[]): readonly string[] =>
  conformancePage(results, VERSIONS)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)

test('a flow has one row, with a result for each database', () => {
  const flow = 'remodel: the same key'
  const onSqlite = result('snapd-registration.test.ts', 'sqlite', flow)
  const onPostgres = result('snapd-registration.test.ts', 'postgres', flow)
  assert.deepEqual(rowsOf(onSqlite, onPostgres), [`| snapd | 2.57 | ${flow} | passes | passes |`])
  assert.deepEqual(rowsOf(onSqlite, { ...onPostgres, passed: false }), [
    `| snapd | 2.57 | ${flow} | passes | fails |`,
  ])
  assert.deepEqual(rowsOf(onPostgres), [`| snapd | 2.57 | ${flow} | — | passes |`])
})

test('the client is the one that begins the title or a suite, otherwise the one of the file', () => {
  assert.deepEqual(
    rowsOf(
      result('own-brand.test.ts', 'a brand of your own', 'snapd with this root registers'),
      result('own-brand.test.ts', 'fish: a question'),
      result('new.test.ts', 'sqlite', 'crate x', 'a token'),
      result('new.test.ts', 'postgres', 'crate x, binary: a token'),
      result('terminal.test.ts', 'a password stays hidden'),
    ),
    [
      '| snapd | 2.57 | snapd with this root registers | passes | — |',
      '| fish | 3.6 | a question | passes | — |',
      '| crate x | 0.3, types of y 1.0 | a token | passes | — |',
      '| crate x | 0.3, types of y 1.0 | binary: a token | — | passes |',
    ],
  )
  assert.throws(
    () => conformancePage([result('new.test.ts', 'sqlite', 'snapdragon: a token')], VERSIONS),
    /interop\/new\.test\.ts: "snapdragon: a token" does not name a client/,
  )
})

test('clients have the order of their versions, flows that of the files and their tests', () => {
  const results = [
    result('b.test.ts', 'sqlite', 'fish: z'),
    result('b.test.ts', 'sqlite', 'snapd: y'),
    result('b.test.ts', 'sqlite', 'snapd: x'),
    result('a.test.ts', 'sqlite', 'snapd: w'),
  ]
  const rows = ['| snapd | 2.57 | w |', '| snapd | 2.57 | y |', '| snapd | 2.57 | x |', '| fish | 3.6 | z |']
  assert.deepEqual(
    rowsOf(...results),
    rows.map((row) => `${row} passes | — |`),
  )
})

test('a title cannot break the table', () => {
  assert.deepEqual(rowsOf(result('a.test.ts', 'fish: a|b <c>')), [
    '| fish | 3.6 | a\\|b \\<c> | passes | — |',
  ])
})

test('a page that may not be written stays unchanged, and the lines that differ are listed', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-conformance-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'page.md')
  const [writing, comparing] = [{ mayWrite: true }, { mayWrite: false }]
  assert.throws(() => keepPage(file, 'same\nold\n', comparing), /commit the page\.\n\+ same\n\+ old$/)
  keepPage(file, 'same\nold\n', writing)
  keepPage(file, 'same\nold\n', comparing)
  assert.throws(() => keepPage(file, 'same\nnew\n', comparing), /commit the page\.\n- old\n\+ new$/)
  assert.equal(readFileSync(file, 'utf8'), 'same\nold\n')
})
