/** `npm run test:faults`: breaks the service while it is in use, and checks that nothing was lost. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleForTests } from '../tools/test/bundle.ts'
import { INVARIANTS, type Violation } from './check/invariants.ts'
import { CALM, FAULTS, type Fault, type Pace } from './faults.ts'
import { makeScene } from './load/scene.ts'
import { byRelease, PLANTED, type Planted } from './planted.ts'
import { say } from './progress.ts'
import { findingsOf, reportOf, table } from './report.ts'
import { CLIENTS, PEOPLE_EACH, type Result, type Run, run } from './run.ts'
import type { Amount } from './under-load.ts'
import { Postgres } from './world/postgres.ts'
import { plantedRelease } from './world/release.ts'

const HELP = `Breaks running nodes and their database under load, and compares the answers that clients got with the
final state.

npm run test:faults                  every fault for some seconds, then every planted bug
npm run test:faults -- --long        every fault for longer: at least ten minutes and 100,000 operations in all
npm run test:faults -- --planted     the planted bugs alone
npm run test:faults -- --only NAME   one fault, invariant or planted bug; can be repeated

--seed TEXT      decides what each client does; it is printed. When a fault strikes depends on the machine
--seconds N      seconds of load for each fault
--help           shows this help

faults:      ${FAULTS.map(({ name }) => name).join(', ')}
invariants:  ${INVARIANTS.map(({ name }) => name).join(', ')}

Exit code 1: an invariant was violated, a fault did not strike, a run gave up, or a planted bug was not detected.
`

const SHORT_SECONDS = 9
const LONG_SECONDS = 75
/**
 * Successive loads of one world until its planted bugs are detected. They have no time limit, so a slow machine only
 * takes longer.
 */
const PLANTED_AMOUNTS: readonly Amount[] = [
  { operations: 500, turns: 5 },
  { operations: 700, turns: 4 },
  { operations: 1_500, turns: 8 },
  { operations: 3_000, turns: 16 },
]
/** The loads of a world with one bug that was not detected among others. */
const ALONE_AMOUNTS: readonly Amount[] = [
  { operations: 5_000, turns: 20 },
  { operations: 20_000, turns: 50 },
]
/** The least number of operations per fault: a slow machine does only a handful in some seconds. */
const FAULT_OPERATIONS = 500
/** How many runs are under way at a time. A run mostly waits for processes to start and to answer. */
const FAULT_LANES = availableParallelism() + 1
const PLANTED_LANES = availableParallelism() + 2
/** Most planted bugs show in a few hundred operations: more would only keep the other lanes waiting. */
const PLANTED_PACE: Pace = { client: 60, operator: 600, rules: 900 }
const LONG_AT_LEAST = { seconds: 600, operations: 100_000 }

// Without `process.exit`, Node 24.21 once hung while it closed its handles (`CleanupHandles`) after a complete run.
process.exit(await main())

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      long: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
      seconds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(HELP)
    return 0
  }
  const chosen = (name: string) => values.only.length === 0 || values.only.includes(name)
  const faults = values.planted ? [] : FAULTS.filter(({ name }) => chosen(name))
  const planted = values.long
    ? []
    : PLANTED.filter(({ breaks, bug }) => chosen(breaks) || values.only.includes(bug))
  if (faults.length + planted.length === 0) {
    say(`There is no fault, invariant or planted bug ${values.only.join(', ')}. Run with --help for a list.`)
    return 2
  }
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-faults-'), { encoding: 'utf8' })
  // PostgreSQL may run as another user. Secret files inside have their own modes.
  chmodSync(directory, 0o755)
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const { seed } = values
  say(`seed ${seed}, Node ${process.versions.node}, ${availableParallelism()} cores`)
  await bundleForTests()
  const scene = await makeScene({
    people: CLIENTS * PEOPLE_EACH,
    models: 12,
    keys: CLIENTS * (values.long ? 12 : 4),
  })
  const seconds = Number(values.seconds ?? (values.long ? LONG_SECONDS : SHORT_SECONDS))
  const amount = { seconds, operations: FAULT_OPERATIONS }
  const results = await breakAll(faults, { seed, scene, amount }, directory, values.long)
  if (results.length > 0) say(`\n${reportOf(results)}`)
  const unseen = await plantAll(planted, { seed, scene }, directory)
  const violations = results.reduce((sum, result) => sum + result.violations.length, 0)
  say(`\nseed ${seed}: ${violations} violations, ${unseen} of ${planted.length} planted bugs not detected`)
  const idle = results.filter(({ evidence }) => Object.values(evidence).includes(0))
  for (const { fault } of idle) say(`${fault} did not strike`)
  const endless = results.filter(({ gaveUp }) => gaveUp !== undefined)
  for (const { fault, gaveUp } of endless) say(`\n${fault} ${gaveUp}`)
  return violations + unseen + idle.length + endless.length === 0 ? 0 : 1
}

type Common = Pick<Run, 'seed' | 'scene' | 'amount'>

/** Runs every fault once, some side by side. With `long`, runs them one at a time, repeatedly until it is enough. */
async function breakAll(
  faults: typeof FAULTS,
  common: Common,
  directory: string,
  long: boolean,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0)
  const enough = () =>
    !long ||
    (sum(({ seconds }) => seconds) >= LONG_AT_LEAST.seconds &&
      sum(({ operations }) => operations) >= LONG_AT_LEAST.operations)
  for (let turn = 1; faults.length > 0 && (turn === 1 || !enough()); turn++) {
    const seed = turn === 1 ? common.seed : `${common.seed} turn ${turn}`
    const broken = await inLanes(
      long ? 1 : FAULT_LANES,
      faults,
      join(directory, `turn-${turn}`),
      async (fault, lane) => {
        const result = await run({ ...common, ...lane, seed, fault })
        say(`\n${fault.name}: ${fault.says}\n${summaryOf(result)}`)
        return result
      },
    )
    results.push(...broken)
  }
  return results
}

function summaryOf(result: Result): string {
  const { strikes, operations, violations, evidence, notes, gaveUp } = result
  if (gaveUp !== undefined) return `  ${gaveUp}`
  const shown = Object.entries(evidence).map(([name, times]) => `${times} ${name}`)
  const counts = `${strikes} strikes, ${operations} operations, ${violations.length} violations`
  const findings = violations.length > 0 ? `\n${findingsOf(result)}` : ''
  return `  ${counts} (${[...shown, ...notes].join('; ')})${findings}`
}

/**
 * Returns the number of planted bugs that the checker missed. Bugs run side by side first; those not detected run again
 * alone.
 */
async function plantAll(
  planted: readonly Planted[],
  common: Pick<Run, 'seed' | 'scene'>,
  directory: string,
): Promise<number> {
  if (planted.length === 0) return 0
  say('\nplanted bugs')
  const sown = planted.map((one): Sown => ({ ...one, operations: 0, found: 0 }))
  await inLanes(PLANTED_LANES, byRelease(sown), join(directory, 'side-by-side'), (bugs, lane) =>
    plant(bugs, PLANTED_AMOUNTS, { ...common, ...lane, pace: PLANTED_PACE }),
  )
  const missed = sown.filter(({ found }) => found === 0).map((one) => [one])
  await inLanes(1, missed, join(directory, 'alone'), (bugs, lane) =>
    plant(bugs, ALONE_AMOUNTS, { ...common, ...lane }),
  )
  const rows = sown.map(({ breaks, bug, operations, found }) => [
    ...[breaks, bug, operations, found],
    found > 0 ? 'detected' : 'NOT DETECTED',
  ])
  say(`\n${table([['breaks', 'planted bug', 'operations', 'findings', ''], ...rows])}`)
  return sown.filter(({ found }) => found === 0).length
}

interface Sown extends Planted {
  /** The number of operations so far. */
  operations: number
  found: number
}

/** Plants bugs in one release, and loads it until all of them are detected or `amounts` ends. */
async function plant(
  bugs: readonly Sown[],
  [amount = {}, ...more]: readonly Amount[],
  { directory, pace, ...common }: Lane & Pick<Run, 'seed' | 'scene'> & Pick<Fault, 'pace'>,
): Promise<void> {
  const [{ during = CALM } = {}] = bugs
  const replacements = bugs.flatMap((one) => one.replacements)
  const release = await plantedRelease(`${directory}-planted`, replacements)
  const statements = bugs.flatMap((one) => one.statements ?? [])
  const find = ({ breaks, finding }: Planted, violations: readonly Violation[]) =>
    violations.filter(({ invariant, what }) => invariant === breaks && (finding?.test(what) ?? true))
  const { operations, violations, gaveUp } = await run({
    ...{ ...common, amount, directory },
    // A third node would only cost time.
    fault: { ...during, nodes: Math.min(during.nodes, 2), ...(pace && { pace }) },
    again: (found) => (bugs.every((bug) => find(bug, found).length > 0) ? undefined : more.shift()),
    planted: { release, statements },
  })
  if (gaveUp !== undefined) say(`  ${bugs.map(({ bug }) => bug).join(', ')}: ${gaveUp}`)
  for (const one of bugs) {
    one.operations += operations
    one.found += find(one, violations).length
    say(`  ${one.breaks}: ${one.bug}: ${one.found > 0 ? 'detected' : 'not detected yet'}`)
  }
}

/** A run's own server and directory. The directory does not exist yet. */
type Lane = Pick<Run, 'postgres' | 'directory'>

/**
 * Does `work` for each of `things`, in `lanes` lanes at a time. Each lane has its own server. The lanes share only this
 * process, which must not block for long: PostgreSQL would end the transaction of another lane as idle.
 */
async function inLanes<Thing, Outcome>(
  lanes: number,
  things: readonly Thing[],
  directory: string,
  work: (thing: Thing, lane: Lane) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  mkdirSync(directory, { mode: 0o755 })
  const outcomes: Outcome[] = []
  const next = things.entries()
  const lane = async (number: number) => {
    const { postgres, stop } = onePostgres(join(directory, `postgres-${number}`))
    try {
      for (const [at, thing] of next) {
        outcomes[at] = await work(thing, { postgres, directory: join(directory, `${at}`) })
      }
    } finally {
      await stop()
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, things.length) }, (_, number) => lane(number)))
  return outcomes
}

/** Returns the server of a lane, for every world except `pair`. It is started on first use. */
function onePostgres(directory: string) {
  let started: Promise<Postgres> | undefined
  return {
    postgres: () => {
      started ??= Postgres.start(directory)
      return started
    },
    stop: async () => (await started)?.stop(),
  }
}
