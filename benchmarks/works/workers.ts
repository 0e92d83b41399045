/** Two workers on both cores against one on one core. The load takes a part of the second core: the figure says how much. */
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
import { asking, sizesOf } from './verify.ts'
import { detailsOf, named, type Work } from './work.ts'

export const workers: Work = {
  name: 'workers',
  says: 'whoami with two workers against one',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const installation = await newInstallation('sqlite', scene, run.directory)
    const file = join(installation.directory, 'requests')
    await prepare(file, asking(await manyTokens(installation, scene, sizesOf(run).used)))
    const start = async (name: string, workers: number, cores: string) => {
      const service = await startRatafia(installation, { workers, cores })
      run.after(service.stop)
      return { service, contender: contender(name, service, wrk({ port: service.port, file })) }
    }
    const one = await start('one', 1, SERVER_CORE)
    const two = await start('two', 2, `${SERVER_CORE},${OTHER_CORE}`)
    const measured = await alternate([one.contender, two.contender], run.pace)
    const [alone, both] = [named(measured, 'one').median, named(measured, 'two').median]
    const figure = ratio(
      {
        ...{ what: 'whoami, two workers', database: 'sqlite', measure: 'requests a second', ours: both.rate },
        more: {
          rounds: measured.map(detailsOf),
          // How many cores' time the service got.
          cores: { one: (alone.cpu * alone.rate) / 1_000, two: (both.cpu * both.rate) / 1_000 },
        },
      },
      { name: 'one worker', value: alone.rate },
      atLeast(1.8),
    )
    const perCore = ratio(
      {
        what: 'the same, for each second of CPU',
        database: 'sqlite',
        measure: 'requests',
        ours: 1_000 / both.cpu,
      },
      { name: 'one worker', value: 1_000 / alone.cpu },
    )
    return { figures: [figure, perCore], refusals: await refusalsOf(two.service, scene) }
  },
}
