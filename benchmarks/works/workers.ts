/**
 * Compares two workers on both cores with one worker on one core. The load uses a part of the second core; on a
 * machine with two, half of it or more. So the result shows how much CPU time the service got, and what it did with
 * each second.
 */
import { join } from 'node:path'
import { makeScene } from '../../faults/load/scene.ts'
import { manyTokens } from '../data/tokens.ts'
import { OTHER_CORE, SERVER_CORE } from '../harness/cores.ts'
import { refusalsOf } from '../harness/refusals.ts'
import { alternate } from '../harness/rounds.ts'
import { prepare, wrk } from '../harness/wrk.ts'
import { atLeast, ratio } from '../report/figure.ts'
import { newInstallation } from '../services/installation.ts'
import { contender, startRatafia } from '../services/ratafia.ts'
import { POST_TOKENS } from './requests.ts'
import { asking, sizesOf } from './verify.ts'
import { detailsOf, named, type Work } from './work.ts'

/** The kinds of request. Only one that can keep the workers' cores busy by itself has a target. */
const KINDS = [
  { what: 'POST tokens', mark: atLeast(1.8) },
  { what: 'whoami', mark: undefined },
] as const

export const workers: Work = {
  name: 'workers',
  says: 'root macaroons and whoami with two workers, compared with one',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const installation = await newInstallation('sqlite', scene, run.directory)
    const file = (what: string) => join(installation.directory, what)
    await prepare(file('POST tokens'), [POST_TOKENS])
    await prepare(file('whoami'), asking(await manyTokens(installation, scene, sizesOf(run).used)))
    const start = async (workers: number, cores: string) => {
      const service = await startRatafia(installation, { workers, cores })
      run.after(service.stop)
      return service
    }
    const one = await start(1, SERVER_CORE)
    const two = await start(2, `${SERVER_CORE},${OTHER_CORE}`)
    const figures = []
    for (const { what, mark } of KINDS) {
      const measured = await alternate(
        [
          contender('one', one, wrk({ port: one.port, file: file(what) })),
          contender('two', two, wrk({ port: two.port, file: file(what) })),
        ],
        run.pace,
      )
      const [alone, both] = [named(measured, 'one').median, named(measured, 'two').median]
      figures.push(
        ratio(
          {
            ...{
              what: `${what}, two workers`,
              database: 'sqlite',
              measure: 'requests per second',
              ours: both.rate,
            },
            more: {
              rounds: measured.map(detailsOf),
              // The CPU time that the service got, in cores.
              cores: { one: (alone.cpu * alone.rate) / 1_000, two: (both.cpu * both.rate) / 1_000 },
            },
          },
          { name: 'one worker', value: alone.rate },
          mark,
        ),
        ratio(
          {
            ...{ what: `${what}, two workers`, database: 'sqlite', measure: 'requests per CPU-second' },
            ours: 1_000 / both.cpu,
          },
          { name: 'one worker', value: 1_000 / alone.cpu },
        ),
      )
    }
    return { figures, refusals: await refusalsOf(two, scene) }
  },
}
