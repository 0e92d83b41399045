import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOptions } from '../options.ts'
import { chart, timesMark } from './chart.ts'
import { alone, atLeast, atMost, type Figure, ratio, verdict } from './figure.ts'
import { flameGraph } from './flame-graph.ts'
import { figuresOf, graphsOf, withSection } from './page.ts'
import type { NewestRuns, Results } from './results.ts'
import { sizingOf } from './sizing.ts'
import { tableOf } from './table.ts'

const FACTS = { what: 'whoami', database: 'sqlite', measure: 'µs of CPU' } as const
const costly = ratio({ ...FACTS, ours: 40 }, { name: 'bare', value: 20 }, atMost(1.6))
const cheap = ratio({ ...FACTS, ours: 24 }, { name: 'bare', value: 20 }, atMost(1.6))
const slow = ratio({ ...FACTS, ours: 50 }, { name: 'insert', value: 100 }, atLeast(0.8))

const verdicts: readonly (readonly [Figure, string])[] = [
  [costly, 'missed by 25 %'],
  [cheap, 'met, 25 % to spare'],
  [slow, 'missed by 38 %'],
  [alone({ ...FACTS, ours: 6 }, atMost(6)), 'met, 0.0 % to spare'],
  [alone({ ...FACTS, ours: 6.03 }, atMost(6)), 'missed by 0.5 %'],
  [alone({ ...FACTS, ours: 6 }), ''],
]
for (const [figure, says] of verdicts) {
  test(`${figure.value} against ${figure.mark?.is ?? 'no target'} ${figure.mark?.limit ?? ''} is "${says}"`, () =>
    assert.equal(verdict(figure), says))
}

test('the table shows whether each figure meets its target, and whether each refusal happened', () => {
  const refusals = [
    { what: 'a revoked token', status: 401, refused: true },
    { what: 'a replayed nonce', status: 200, refused: false },
  ]
  const text = tableOf('verify', { figures: [costly], refusals })
  assert.match(
    text,
    /verify: whoami +sqlite +µs of CPU +40\.0 +bare: 20\.0 +2\.00 times +at most 1\.6 +missed by 25 %/,
  )
  assert.match(text, /a revoked token.*401.*met$/m)
  assert.match(text, /a replayed nonce.*200.*NOT REFUSED$/m)
})

test('in the chart less is better, for targets of either direction', () => {
  assert.equal(timesMark(costly), 1.25)
  assert.equal(timesMark(slow), 1.6)
  const svg = chart(
    [
      { label: 'a < b', figure: costly },
      { label: 'c', figure: cheap },
    ],
    'title',
  )
  assert.equal(svg.match(/<rect class="missed"/g)?.length, 1)
  assert.equal(svg.match(/<rect class="met"/g)?.length, 1)
  assert.match(svg, /a &lt; b/)
})

test('a new table replaces only the old one in the page', () => {
  const page =
    'Above.\n\n<!-- figures: written by npm run bench -->\nold\n<!-- end of the figures -->\n\nBelow.\n'
  const once = withSection(page, 'figures', 'new')
  assert.match(once, /^Above\.\n\n<!-- figures.*-->\n\nnew\n\n<!-- end of the figures -->\n\nBelow\.\n$/)
  assert.equal(withSection(once, 'figures', 'new'), once)
  assert.throws(() => withSection(page, 'sizing', 'new'), /no place for sizing/)
})

const RUN = {
  ...{ date: '2026-11-23T10:00:00.000Z', harness: 'abcdef0', load: 2 },
  pace: { rounds: 5, seconds: 3, warmUpSeconds: 20 },
  machine: { cpu: '2 × A CPU', memory: '8 GiB', system: 'linux 6', node: 'v24.0.0', postgres: '18' },
  refusals: [{ what: 'a revoked token', status: 401, refused: true }],
}
const results = (commit: string, works: Record<string, readonly Figure[]>): Results & NewestRuns => ({
  commit,
  works: Object.fromEntries(
    Object.entries(works).map(([name, figures]) => [name, { ...RUN, commit, figures }]),
  ),
})

test('the page names the commit, the machine and the number of refusals', () => {
  const text = figuresOf(results('1234567', { verify: [costly] }))
  assert.match(
    text,
    /^\| 1234567 \| 2 × A CPU, 8 GiB, linux 6, Node 24\.0\.0, PostgreSQL 18 \| 2026-11-23 \| `verify` \|$/m,
  )
  assert.match(text, /refused 1 of 1 requests/)
  assert.match(text, /^\| `verify` whoami \| sqlite \| µs of CPU \| 40\.0 \| bare: 20\.0 \| 2\.00 times \|/m)
})

test('the page shows each work with the commit that was measured', () => {
  const [older, newer] = [results('1111111', { verify: [costly] }), results('2222222', { login: [slow] })]
  const text = figuresOf({ works: { ...older.works, ...newer.works } })
  assert.match(text, /^\| 1111111 \|.*\| `verify` \|\n\| 2222222 \|.*\| `login` \|$/m)
})

test('next to a value, the page shows the earlier one if it was measured', () => {
  const before = results('4beb700', { verify: [{ ...costly, value: 14.6 }] })
  const text = figuresOf(results('1234567', { verify: [costly, slow] }), before)
  assert.match(text, /^\| work \| database \| measure \| ours \| compared with \| 4beb700 \| value \|/m)
  assert.match(text, /bare: 20\.0 \| 14\.60 times \| 2\.00 times \|/)
  assert.match(text, /insert: 100 \| {2}\| 0\.50 times \|/)
  const svg = chart([{ label: 'a', figure: costly, before: { ...costly, value: 14.6 } }], 'title')
  assert.match(svg, /<title>before: 9\.13<\/title>/)
})

test('derives sizing from the cost of requests, and names missing works', () => {
  const ours = (name: string, cpu: number, databaseCpu: number) => {
    const more = { rounds: [{ name, median: { cpu, databaseCpu, statements: 4 } }] }
    return alone({ what: name, database: 'postgres', measure: 'ms', ours: cpu, more })
  }
  const cost = (what: string, measure: string, value: number) =>
    alone({ what, database: 'postgres', measure, ours: value })
  const works = {
    session: [ours('refresh', 2, 1)],
    registration: [ours('registration', 3, 1)],
  }
  assert.match(sizingOf(results('1234567', works)), /\| refresh, 2 requests \| 500 \| 1,000 \| 4\.00 \|/)
  assert.match(sizingOf(results('1234567', works)), /lacks .*`costs`/)
  const costs = [
    cost('device-session, first', 'ms of node CPU', 0.5),
    cost('device-session, first', 'ms of PostgreSQL CPU', 0.1),
    cost('registration: 2 requests', 'bytes stored', 7_000),
    cost('refresh: 2 requests', 'bytes stored', 1_000),
  ]
  const text = sizingOf(results('1234567', { ...works, costs }))
  // A million devices send 34.7 refreshes and 694 verifications a second at the peak.
  assert.match(text, /\| node cores, peak \| 0\.004 \| 0\.042 \| 0\.417 \|/)
  assert.match(text, /\| register and audit log \| 0\.070 GB \| 0\.700 GB \| 7\.00 GB \|/)
})

test('a load links to its flame graph before the change, and to the one after it if it exists', () => {
  const lines = graphsOf(['login-after.svg', 'login-before.svg', 'session-before.svg']).split('\n')
  assert.deepEqual(lines.slice(2), [
    '| login | [before](performance/login-before.svg) | [after](performance/login-after.svg) |',
    '| session | [before](performance/session-before.svg) |  |',
  ])
})

test('a flame graph adds up the time of a function and its callees, and leaves out idle time', () => {
  const node = (id: number, functionName: string, children: readonly number[] = []) => ({
    ...{
      id,
      children,
      callFrame: { functionName, url: functionName.startsWith('(') ? '' : 'file:///a.ts', lineNumber: 0 },
    },
  })
  const svg = flameGraph(
    {
      nodes: [node(1, '(root)', [2, 4]), node(2, 'outer', [3]), node(3, 'inner'), node(4, '(idle)')],
      samples: [2, 3, 4, 3],
      timeDeltas: [0, 100, 300, 5_000],
    },
    'a title',
  )
  assert.match(svg, /<title>outer [^<]*, 100\.0 %<\/title>/)
  assert.match(svg, /<title>inner [^<]*, 75\.0 %<\/title>/)
  assert.doesNotMatch(svg, /idle/)
})

test('refuses a work that does not exist and an invalid number', () => {
  assert.deepEqual(
    readOptions(['--quick', 'verify']).works.map(({ name }) => name),
    ['verify'],
  )
  assert.ok(readOptions([]).works.length > 5)
  assert.equal(readOptions(['--rounds', '7']).pace.rounds, 7)
  assert.throws(() => readOptions(['speed']), /There is no work speed/)
  assert.throws(() => readOptions(['--rounds', 'many']), /--rounds is not a positive number/)
})
