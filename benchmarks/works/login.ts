/** Logins by agents: five requests, from the root macaroon to the token. */
import { logIn } from '../../faults/load/log-in.ts'
import { makeScene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { present, random } from '../data/devices.ts'
import { flows } from '../harness/flows.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import { alternate } from '../harness/rounds.ts'
import { alone, atMost, type Figure } from '../report/figure.ts'
import { DATABASES, newInstallation } from '../services/installation.ts'
import { contender, startRatafia } from '../services/ratafia.ts'
import { CLIENTS } from './registration.ts'
import { detailsOf, named, type Work } from './work.ts'

export const logins: Work = {
  name: 'login',
  says: 'CPU and statements of a login by an agent',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const figures: Figure[] = []
    const refusals: Refusal[] = []
    for (const kind of DATABASES) {
      run.say(kind)
      const service = await startRatafia(await newInstallation(kind, scene, run.directory))
      run.after(service.stop)
      const flow = async (wire: Wire, turn: number) => {
        const person = present(scene.people[turn % scene.people.length])
        present(await logIn(person, wire, random), wire)
      }
      const ours = contender('login', service, flows(service.port, CLIENTS, flow), `login-${kind}`)
      const measured = await alternate([ours], run.pace)
      const { median } = named(measured, 'login')
      const facts = { what: 'login by an agent', database: kind, more: { rounds: measured.map(detailsOf) } }
      figures.push(alone({ ...facts, measure: 'ms of node CPU', ours: median.cpu }, atMost(1.5)))
      if (kind === 'postgres') {
        figures.push(alone({ ...facts, measure: 'statements', ours: median.statements }, atMost(6)))
      }
      refusals.push(...(await refusalsOf(service, scene)))
      await service.stop()
    }
    return { figures, refusals }
  },
}
