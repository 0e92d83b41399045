/** Measures logins by agents, which need five requests from the root macaroon to the token. */
import { logIn } from '../../faults/load/log-in.ts'
import { makeScene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { present, random } from '../data/devices.ts'
import { flows } from '../harness/flows.ts'
import { alternate } from '../harness/rounds.ts'
import { alone, atMost } from '../report/figure.ts'
import { contender } from '../services/ratafia.ts'
import { onEachDatabase } from './on-each-database.ts'
import { CLIENTS } from './registration.ts'
import { detailsOf, named, type Work } from './work.ts'

export const logins: Work = {
  name: 'login',
  says: 'CPU and statements of a login by an agent',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    return onEachDatabase(run, scene, async (service, database) => {
      const flow = async (wire: Wire, turn: number) => {
        const person = present(scene.people[turn % scene.people.length])
        present(await logIn(person, wire, random), wire)
      }
      const ours = contender('login', service, flows(service.port, CLIENTS, flow), `login-${database}`)
      const measured = await alternate([ours], run.pace)
      const { median } = named(measured, 'login')
      const facts = { what: 'login by an agent', database, more: { rounds: measured.map(detailsOf) } }
      const cpu = alone({ ...facts, measure: 'ms of node CPU', ours: median.cpu }, atMost(1.5))
      if (database === 'sqlite') return [cpu]
      return [cpu, alone({ ...facts, measure: 'statements', ours: median.statements }, atMost(6))]
    })
  },
}
