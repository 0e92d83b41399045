/** `npm test` and `npm run test:full` together must run every test, and repeat only those with samples. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allTests, ENDINGS, endingsOf, type Pass, passesOf, type Run, SHARE } from './passes.ts'

const SERVER = 'packages/server/test/cli'
const files = [
  { path: 'tools/pure.test.ts', size: 10 },
  { path: 'tools/many.sampled.test.ts', size: 20 },
  { path: 'tools/own.own.test.ts', size: 30 },
  { path: 'packages/server/src/keyring/keyring.db.test.ts', size: 40 },
  { path: `${SERVER}/usage.test.ts`, size: 50 },
  { path: `${SERVER}/backup.db.sampled.test.ts`, size: 60 },
  { path: `${SERVER}/list.sampled.test.ts`, size: 70 },
  { path: `${SERVER}/soon.timed.test.ts`, size: 80 },
  { path: `${SERVER}/locked.full.test.ts`, size: 90 },
]
const NO_POSTGRES = '--test-skip-pattern=^postgres$'
const ONLY_POSTGRES = '--test-name-pattern=^postgres$'

/** The names of the files of each pass, with the option that selects a database. */
const shown = (run: Run) =>
  passesOf(files, run).map(({ files, nodeOptions, last }) => [
    files.map((path) => path.replace(/.*\/|\.test\.ts/g, '')).join(' '),
    nodeOptions.find((option) => option.endsWith('-pattern=^postgres$')),
    ...(last ? ['last'] : []),
  ])

test('npm test runs each file once (".db" on both databases, others on SQLite), except those for the full run', () => {
  assert.deepEqual(shown('quick'), [
    ['keyring.db backup.db.sampled', undefined],
    ['pure many.sampled usage list.sampled', NO_POSTGRES],
    ['own.own', NO_POSTGRES],
    ['soon.timed', NO_POSTGRES, 'last'],
  ])
})

test('a full run has the rest: on PostgreSQL what npm test ran on SQLite, and in full what it ran as a sample', () => {
  assert.deepEqual(shown('full'), [
    ['locked.full', undefined],
    ['list.sampled', undefined],
    ['backup.db.sampled', undefined],
    ['many.sampled', undefined],
    ['usage', ONLY_POSTGRES],
    ['soon.timed', ONLY_POSTGRES, 'last'],
  ])
})

test('files that are named on the command line run on both databases', () => {
  assert.deepEqual(shown('chosen'), [
    ['pure many.sampled keyring.db usage backup.db.sampled list.sampled locked.full', undefined],
    ['own.own', undefined],
    ['soon.timed', undefined, 'last'],
  ])
})

test('many files are divided into passes of about the same size', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ path: `${index}.test.ts`, size: SHARE / 30 }))
  const lengths = passesOf(many, 'quick').map(({ files }) => files.length)
  assert.deepEqual(lengths, [25, 25, 25, 25])
})

test('refuses an ending that is unknown or in the wrong place', () => {
  for (const name of ['a.postgres', 'a.sampled.db', 'a.db.db']) {
    assert.throws(
      () => endingsOf(`${name}.test.ts`),
      /allowed endings are only db, full, sampled, own, timed, in this order/,
    )
  }
})

const paths = allTests()
const real = paths.map((path) => ({ path, size: 1, text: readFileSync(path, 'utf8') }))
const named = (test: (file: (typeof real)[number]) => boolean) =>
  real.flatMap((file) => (test(file) ? [file.path] : []))
const filesOf = (passes: readonly Pass[]) => passes.flatMap(({ files }) => files)

test('npm test runs every test file of the project once, except those for the full run', () => {
  assert.ok(paths.length > 100)
  assert.deepEqual(
    filesOf(passesOf(real, 'quick')).toSorted(),
    named(({ path }) => !endingsOf(path).has('full')).toSorted(),
  )
  for (const ending of ENDINGS) assert.ok(named(({ path }) => endingsOf(path).has(ending)).length > 0, ending)
})

test('a file with suites for both databases ends in `.db`, unless it is in packages/server/test', () => {
  const on = (text: string) => /^\s*eachDatabase\(/m.test(text)
  assert.deepEqual(
    named(({ path, text }) => endingsOf(path).has('db') && !on(text)),
    [],
    'has no suite for both databases',
  )
  assert.deepEqual(
    named(
      ({ path, text }) => on(text) && !endingsOf(path).has('db') && !path.startsWith('packages/server/test/'),
    ),
    [],
    'needs the ending .db',
  )
})

test('a file that does more in a full run has the ending `.sampled`', () => {
  assert.deepEqual(
    named(({ text }) => /^import .* from '[./]+tools\/test\/effort\.ts'/m.test(text)),
    named(({ path }) => endingsOf(path).has('sampled')),
  )
})

// Files share a process, so such a hook would also run for the tests of other files.
test('no test file has a hook for each test outside a suite', () => {
  assert.deepEqual(
    named(({ text }) => /^(before|after)Each\(/m.test(text)),
    [],
  )
})
