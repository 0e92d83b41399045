/** Requests on small and large tables: the slowest of a hundred at 10^3, 10^5 and 10^6 rows. */
import { listTokens, logIn, revoke, whoami } from '../../faults/load/log-in.ts'
import { makeScene, type Scene } from '../../faults/load/scene.ts'
import { newRecorder, Wire } from '../../faults/load/wire.ts'
import { searchFleet } from '../../packages/server/src/devices/fleet/search-fleet.ts'
import { FLEET, importFleet, serialOf } from '../data/fleet.ts'
import { opened } from '../data/opened.ts'
import { manyTokens } from '../data/tokens.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import { percentile } from '../harness/statistics.ts'
import { atMost, type Figure, ratio } from '../report/figure.ts'
import { type BenchInstallation, DATABASES, newInstallation } from '../services/installation.ts'
import { type Service, startRatafia } from '../services/ratafia.ts'
import { openOne, present, random, registerAll, unitsOf } from './devices.ts'
import type { Run, Work } from './work.ts'

const MARK = 1.3
/** Not measured: they compile code and open connections. */
const WARM_UP = 200

/** Milliseconds of each request, by what it does. */
type Times = ReadonlyMap<string, readonly number[]>

export const sizes: Work = {
  name: 'sizes',
  says: 'list, revoke, whoami, session and device search on small and large tables',
  async measure(run) {
    const figures: Figure[] = []
    const refusals: Refusal[] = []
    for (const database of DATABASES) {
      const scene = await makeScene({ people: 5, models: 2, keys: 4 })
      const installation = await newInstallation(database, scene, run.directory)
      const rows = run.quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000]
      const measured: { readonly rows: number; readonly p99: ReadonlyMap<string, number> }[] = []
      let filled = 0
      for (const [at, wanted] of rows.entries()) {
        run.say(`${database}: filling up to ${wanted} rows`)
        await manyTokens(installation, { ...scene, people: scene.people.slice(3, 4) }, wanted - filled)
        await importFleet(installation, filled, wanted)
        filled = wanted
        const service = await startRatafia(installation)
        run.after(service.stop)
        const times = await timesOf(service, { scene, at, installation }, run)
        const p99 = new Map([...times].map(([name, each]) => [name, percentile(each, 0.99)]))
        measured.push({ rows: wanted, p99 })
        if (wanted === rows.at(-1)) refusals.push(...(await refusalsOf(service, scene)))
        await service.stop()
      }
      const [small, ...large] = measured
      for (const { rows, p99 } of large) {
        for (const [what, ours] of p99) {
          const value = small?.p99.get(what) ?? Number.NaN
          const facts = { what: `${what}, ${rows} rows`, database, measure: 'p99 in ms', ours }
          figures.push(ratio(facts, { name: `${small?.rows} rows`, value }, atMost(MARK)))
        }
      }
    }
    return { figures, refusals }
  },
}

interface Where {
  readonly scene: Scene
  /** Each size has a person and a device of its own, whose rows are as few as those of the others. */
  readonly at: number
  readonly installation: BenchInstallation
}

/** One request at a time, and the kinds in turn: so what else the machine does hits all of them alike. */
async function timesOf(service: Service, { scene, at, installation }: Where, { quick }: Run): Promise<Times> {
  const target = { name: 'ours', port: service.port }
  const wire = new Wire([target], newRecorder())
  const person = present(scene.people[at])
  const token = present(await logIn(person, wire, random))
  const units = unitsOf(scene)
  const device = present((await registerAll(units.slice(at, at + 1), service.port))[0])
  const sent = async (request: Parameters<Wire['send']>[1]) => {
    const { status } = await wire.send(target, request)
    if (status !== 200) throw new Error(`${request.kind} was answered ${status}`)
  }
  const times = new Map<string, number[]>()
  try {
    await opened(installation, async (on) => {
      const search = (index: number) => ({
        ...({ filter: { ...FLEET, serial: serialOf(index) }, order: 'entered', reverse: false } as const),
        ...{ after: undefined, limit: 100, withLastSession: false, withEvidence: false },
      })
      const timed = async (name: string, work: () => Promise<unknown>, turn: number) => {
        const began = performance.now()
        await work()
        if (turn < WARM_UP) return
        times.set(name, [...(times.get(name) ?? []), performance.now() - began])
      }
      for (let turn = 0; turn < WARM_UP + (quick ? 100 : 600); turn++) {
        const ended = present(await logIn(person, wire, random))
        await timed('whoami', () => sent(whoami(ended)), turn)
        await timed('revoke', () => sent(revoke(ended, token)), turn)
        await timed('list', () => sent(listTokens(token)), turn)
        await timed('session', () => openOne(device, wire), turn)
        await timed('device search', () => searchFleet(search(turn), { fleet: on.fleet }), turn)
      }
    })
  } finally {
    wire.close()
  }
  return times
}
