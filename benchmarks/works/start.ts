/** Measures how soon a service on an existing database answers, and the cost of a command that reads one row. */
import { makeScene } from '../../faults/load/scene.ts'
import { endedChildrenOf } from '../harness/cpu.ts'
import { refusalsOf } from '../harness/refusals.ts'
import { median } from '../harness/statistics.ts'
import { alone, atMost, type Figure } from '../report/figure.ts'
import { command } from '../services/command.ts'
import { DATABASES, newInstallation } from '../services/installation.ts'
import { startRatafia } from '../services/ratafia.ts'
import type { Work } from './work.ts'

export const start: Work = {
  name: 'start',
  says: 'the first answer of a service, and the CPU of a short command',
  async measure(run) {
    const scene = await makeScene({ people: 2, models: 1, keys: 1 })
    const figures: Figure[] = []
    const refusals = []
    for (const database of DATABASES) {
      const installation = await newInstallation(database, scene, run.directory)
      const [person] = scene.people
      const show = () => command(installation, ['accounts', 'show', person?.username ?? ''])
      // Fills the compile cache.
      await (await startRatafia(installation)).stop()
      await show()
      const starts: number[] = []
      const commands: number[] = []
      for (let round = 0; round < run.pace.rounds; round++) {
        const began = performance.now()
        const service = await startRatafia(installation)
        const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/snaps/auth/nonces`, {
          method: 'POST',
        })
        if (!answer.ok) throw new Error(`the first request got ${answer.status}`)
        starts.push((performance.now() - began) / 1_000)
        await service.stop()
        const before = endedChildrenOf(process.pid)
        await show()
        commands.push((endedChildrenOf(process.pid) - before) / 1_000)
      }
      figures.push(
        alone(
          {
            ...{ what: 'first answer on an existing database', database, measure: 'seconds' },
            ...{ ours: median(starts), more: { rounds: starts } },
          },
          atMost(0.6),
        ),
        alone(
          {
            ...{ what: 'a command that reads one row', database, measure: 'seconds of CPU' },
            ...{ ours: median(commands), more: { rounds: commands } },
          },
          atMost(0.4),
        ),
      )
      const service = await startRatafia(installation)
      run.after(service.stop)
      refusals.push(...(await refusalsOf(service, scene)))
    }
    return { figures, refusals }
  },
}
