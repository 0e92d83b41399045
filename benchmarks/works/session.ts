/** Measures sessions and refreshes (two requests: nonce, session) without one RSA verification of the same key size. */
import type { DeviceSession } from '../../faults/load/device.ts'
import { makeScene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { openOne, present, registerAll, unitsOf } from '../data/devices.ts'
import { flows } from '../harness/flows.ts'
import { startRepetitions } from '../harness/repetitions.ts'
import { alternate } from '../harness/rounds.ts'
import { alone, atMost } from '../report/figure.ts'
import { contender } from '../services/ratafia.ts'
import { onEachDatabase } from './on-each-database.ts'
import { CLIENTS, RSA } from './registration.ts'
import { detailsOf, named, type Work } from './work.ts'

export const sessions: Work = {
  name: 'session',
  says: 'CPU and statements of a device session and of a refresh, without one RSA verification',
  async measure(run) {
    const scene = await makeScene({ people: 2, models: 3, keys: 21 })
    const verification = await startRepetitions('verification', [RSA, 'verify', '2048'])
    run.after(verification.stop)
    return onEachDatabase(run, scene, async (service, database) => {
      const devices = await registerAll(unitsOf(scene), service.port)
      const latest = new Map<number, DeviceSession>()
      const opening = async (wire: Wire, turn: number) => {
        await openOne(present(devices[turn % devices.length]), wire)
      }
      const refreshing = async (wire: Wire, turn: number) => {
        // There are fewer clients than devices, so that no two refresh the same session at a time.
        const at = turn % devices.length
        const device = present(devices[at])
        latest.set(at, await openOne(device, wire, latest.get(at)))
      }
      const ours = (name: string, flow: typeof opening) =>
        contender(name, service, flows(service.port, CLIENTS, flow), `${name}-${database}`)
      const measured = await alternate(
        [ours('session', opening), ours('refresh', refreshing), verification],
        run.pace,
      )
      const apart = named(measured, 'verification').median.cpu
      return ['session', 'refresh'].flatMap((name) => {
        const { median } = named(measured, name)
        const facts = { what: name, database, more: { rounds: measured.map(detailsOf) } }
        const cpu = alone(
          { ...facts, measure: 'ms of node CPU without one verification', ours: median.cpu - apart },
          atMost(0.6),
        )
        if (database === 'sqlite') return [cpu]
        return [
          cpu,
          alone({ ...facts, measure: 'statements', ours: median.statements }, atMost(6)),
          alone({ ...facts, measure: 'ms of PostgreSQL CPU', ours: median.databaseCpu }, atMost(0.8)),
        ]
      })
    })
  },
}
