/** Measures requests on small and large tables alternately: the slowest in a hundred at 10^3, 10^5 and 10^6 rows. */
import { listTokens, logIn, revoke, whoami } from '../../../faults/load/log-in.ts'
import { makeScene, type Scene } from '../../../faults/load/scene.ts'
import { newRecorder, type Request, Wire } from '../../../faults/load/wire.ts'
import { directAuthority } from '../../../packages/server/src/authority.ts'
import { listFleet } from '../../../packages/server/src/devices/fleet/list-fleet.ts'
import { openOne, present, random, registerAll, unitsOf } from '../../data/devices.ts'
import { fillRegister, serialOf } from '../../data/fleet.ts'
import { openHere } from '../../data/opened.ts'
import { manySessions, manyTokens } from '../../data/tokens.ts'
import { type Refusal, refusalsOf } from '../../harness/refusals.ts'
import { median, percentile } from '../../harness/statistics.ts'
import { atMost, type Figure, ratio } from '../../report/figure.ts'
import {
  DATABASES,
  type DatabaseKind,
  newInstallation,
  removeInstallation,
} from '../../services/installation.ts'
import { startRatafia } from '../../services/ratafia.ts'
import type { Run, Work } from '../work.ts'

const MARK = 1.3
const FLEET = { brandId: 'acme-brand', model: 'fleet' } as const
/** The requests of each kind in a round. The third slowest is the 99th percentile. */
const REQUESTS = 300

const turnsOf = ({ quick }: Run): number => (quick ? 50 : REQUESTS)

export const sizes: Work = {
  name: 'sizes',
  says: 'list, revoke, whoami, session and device search on small and large tables',
  async measure(run) {
    const figures: Figure[] = []
    const refusals: Refusal[] = []
    for (const database of DATABASES) {
      const [small, ...large] = await tables(database, run)
      if (!small) throw new TypeError('a table is required')
      const all = [small, ...large]
      // The first round compiles code and opens connections, and does not count.
      for (let round = 0; round <= run.pace.rounds; round++) {
        run.say(`${database}: round ${round} of ${run.pace.rounds}`)
        // The tables alternate in each turn, so that other work on the machine affects all of them.
        for (let turn = 0; turn < turnsOf(run); turn++) {
          for (const table of all) await table.turn()
        }
        for (const table of all) table.endRound(round > 0)
      }
      for (const { rows, p99 } of large) {
        for (const [what, all] of p99) {
          const others = small.p99.get(what) ?? []
          const more = { rounds: all, small: others }
          const facts = {
            what: `${what}, ${rows} rows`,
            database,
            measure: 'p99 in ms',
            ours: median(all),
            more,
          }
          figures.push(ratio(facts, { name: `${small.rows} rows`, value: median(others) }, atMost(MARK)))
        }
      }
      for (const table of all) refusals.push(...(await table.end()))
    }
    return { figures, refusals }
  },
}

function rowsOf(database: DatabaseKind, { quick, huge }: Run): readonly number[] {
  if (quick) return [1_000, 10_000]
  const all = [1_000, 100_000, 1_000_000]
  return huge && database === 'postgres' ? [...all, 10_000_000] : all
}

interface Table {
  readonly rows: number
  /** The 99th percentiles of each round in milliseconds, by kind of request. */
  readonly p99: ReadonlyMap<string, number[]>
  /** Sends a request of each kind. */
  turn(): Promise<void>
  /** Ends the round. Its times become a figure if it `counts`. */
  endRound(counts: boolean): void
  end(): Promise<readonly Refusal[]>
}

/** Starts an installation and a service for each size. */
async function tables(database: DatabaseKind, run: Run): Promise<readonly Table[]> {
  const scene = await makeScene({ people: 3, models: 2, keys: 2 })
  const made: Table[] = []
  for (const rows of rowsOf(database, run)) {
    run.say(`${database}: ${rows} rows`)
    made.push(await tableOf(rows, database, scene, run))
  }
  return made
}

async function tableOf(rows: number, database: DatabaseKind, scene: Scene, run: Run): Promise<Table> {
  const installation = await newInstallation(database, scene, run.directory)
  // These belong to another person, so that the measured one has equally few sessions in all tables.
  const turns = turnsOf(run) * (run.pace.rounds + 1)
  const ended = await manyTokens(installation, { ...scene, people: scene.people.slice(2) }, turns)
  await manySessions(installation, { ...scene, people: scene.people.slice(1, 2) }, rows)
  await fillRegister(installation, [{ ...FLEET, count: rows }])
  const service = await startRatafia(installation)
  run.after(service.stop)
  const target = { name: 'ours', port: service.port }
  const person = present(scene.people[0])
  const [device] = await registerAll(unitsOf(scene), service.port)
  const { close, ...stores } = await openHere(installation)
  const recorder = newRecorder()
  const wire = new Wire([target], recorder)
  const p99 = new Map<string, number[]>()
  let times = new Map<string, number[]>()
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    times.set(name, [...(times.get(name) ?? []), performance.now() - began])
  }
  const send = (request: Request) => async () => {
    const { status, body } = await wire.send(target, request)
    if (status !== 200) throw new Error(`${request.kind} got ${status}: ${body}`)
  }
  const token = present(await logIn(person, wire, random), wire)
  const turn = async () => {
    const { sessionId: session, text } = present(ended.pop())
    const other = { ...token, person: present(scene.people[2]), session, text }
    await timed('whoami', send(whoami(other)))
    await timed('revoke', send(revoke(other, other)))
    await timed('list', send(listTokens(token)))
    await timed('session', () => openOne(present(device), wire))
    await timed('device search', () => listFleet(searchFor(random.below(rows)), stores))
    recorder.history.length = 0
  }
  const endRound = (counts: boolean) => {
    for (const [name, all] of counts ? times : []) {
      p99.set(name, [...(p99.get(name) ?? []), percentile(all, 0.99)])
    }
    times = new Map()
  }
  const end = async () => {
    wire.close()
    await close()
    const refusals = await refusalsOf(service, scene)
    await service.stop()
    await removeInstallation(installation)
    return refusals
  }
  return { rows, p99, turn, endRound, end }
}

const OPERATOR = directAuthority({ actor: 'operator', source: 'a benchmark' }, 'operator')

const searchFor = (index: number): Parameters<typeof listFleet>[0] => ({
  authority: OPERATOR,
  filter: { models: [FLEET], serial: serialOf(index) },
  ...{ sort: '-registered', after: undefined, limit: 100 },
})
