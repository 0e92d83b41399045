/** Measures the resident memory of a worker and of the supervisor, at rest and under load. */
import { join } from 'node:path'
import { logIn } from '../../faults/load/log-in.ts'
import { makeScene } from '../../faults/load/scene.ts'
import { sleep } from '../../faults/world/processes.ts'
import { openOne, present, random, registerAll, unitsOf } from '../data/devices.ts'
import { manyTokens } from '../data/tokens.ts'
import { childrenOf, memoryOf } from '../harness/cpu.ts'
import { flows } from '../harness/flows.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import type { Load } from '../harness/rounds.ts'
import { median } from '../harness/statistics.ts'
import { prepare, wrk } from '../harness/wrk.ts'
import { alone, atMost, type Figure, ratio } from '../report/figure.ts'
import { DATABASES, newInstallation } from '../services/installation.ts'
import { startRatafia } from '../services/ratafia.ts'
import { asking, sizesOf } from './verify.ts'
import type { Run, Work } from './work.ts'

const REST_MS = 5_000
const SAMPLE_MS = 200
const MINUTES = 60
/** The seconds of each load, and of rest, in each minute of the hour. A device gets a few thousand sessions in all. */
const SECONDS = { whoami: 30, logins: 20, sessions: 5, rest: 5 }

export const memory: Work = {
  name: 'memory',
  says: 'resident memory of a worker and of the supervisor, at rest and under load',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 3, keys: 11 })
    const figures: Figure[] = []
    const refusals: Refusal[] = []
    for (const database of DATABASES) {
      const installation = await newInstallation(database, scene, run.directory)
      const file = join(installation.directory, 'requests')
      await prepare(file, asking(await manyTokens(installation, scene, sizesOf(run).live)))
      // Fills Node's compile cache, as after the first start on any machine.
      await (await startRatafia(installation, { workers: 2 })).stop()
      const service = await startRatafia(installation, { workers: 2 })
      run.after(service.stop)
      await sleep(REST_MS)
      const workers = childrenOf(service.pid)
      const most = () => Math.max(...workers.map(memoryOf))
      const rest = { worker: most(), supervisor: memoryOf(service.pid) }
      run.say(`${database}: at rest ${Math.round(rest.worker)} MB`)

      let peak = rest
      const sampling = setInterval(() => {
        peak = {
          worker: Math.max(peak.worker, most()),
          supervisor: Math.max(peak.supervisor, memoryOf(service.pid)),
        }
      }, SAMPLE_MS)
      const devices = await registerAll(unitsOf(scene), service.port)
      const loads: Loads = {
        whoami: wrk({ port: service.port, file }),
        logins: flows(service.port, 16, async (wire, turn) => {
          present(await logIn(present(scene.people[turn % scene.people.length]), wire, random))
        }),
        sessions: flows(service.port, 16, async (wire, turn) => {
          await openOne(present(devices[turn % devices.length]), wire)
        }),
      }
      for (const load of Object.values(loads)) await load.run(run.pace.warmUpSeconds, async () => {})
      clearInterval(sampling)
      const figure = (what: string, ours: number, limit: number) =>
        alone({ what, database, measure: 'MB resident', ours }, atMost(limit))
      figures.push(
        figure('a worker at rest', rest.worker, 110),
        figure('a worker under load', peak.worker, 250),
        figure('the supervisor at rest', rest.supervisor, 60),
        figure('the supervisor under load', peak.supervisor, 60),
      )
      if (run.hour && database === 'postgres') figures.push(await overAnHour(loads, most, run))
      refusals.push(...(await refusalsOf(service, scene)))
      await service.stop()
    }
    return { figures, refusals }
  },
}

type Loads = Readonly<Record<'whoami' | 'logins' | 'sessions', Load>>

/** Compares the largest worker's memory in the last quarter of an hour with that in the first. */
async function overAnHour(
  { whoami, logins, sessions }: Loads,
  most: () => number,
  run: Run,
): Promise<Figure> {
  const after: number[] = []
  for (let minute = 0; minute < MINUTES; minute++) {
    await whoami.run(SECONDS.whoami, async () => {})
    await logins.run(SECONDS.logins, async () => {})
    await sessions.run(SECONDS.sessions, async () => {})
    await sleep(SECONDS.rest * 1_000)
    after.push(most())
    if (minute % 10 === 9) run.say(`after ${minute + 1} minutes ${Math.round(most())} MB`)
  }
  const quarter = MINUTES / 4
  return ratio(
    {
      ...{
        what: 'a worker in the last 15 minutes of an hour under load',
        database: 'postgres',
        measure: 'MB resident',
      },
      ...{ ours: median(after.slice(-quarter)), more: { minutes: after } },
    },
    { name: 'in the first 15 minutes', value: median(after.slice(0, quarter)) },
    atMost(1.1),
  )
}
