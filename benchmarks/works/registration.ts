/** Compares registrations (two requests each), without their RSA-4096 signature, with snapd's fake device service. */
import { join } from 'node:path'
import type { Unit } from '../../faults/load/device.ts'
import { makeScene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { present, registerOne, unitsOf } from '../data/devices.ts'
import { flows } from '../harness/flows.ts'
import { startRepetitions } from '../harness/repetitions.ts'
import { alternate, type Contender } from '../harness/rounds.ts'
import { alone, atLeast, atMost, ratio } from '../report/figure.ts'
import { registerThere, startFakeDeviceService } from '../services/fake-device-service.ts'
import { contender } from '../services/ratafia.ts'
import { onEachDatabase } from './on-each-database.ts'
import { detailsOf, named, type Work } from './work.ts'

export const RSA = join(import.meta.dirname, '../services/rsa.ts')
/** The clients at a time. More would only wait for the signatures. */
export const CLIENTS = 8
/** The maximum number of registrations in a round, so that there are enough units. */
const MOST = 400
const FAKE = 'fakedevicesvc'

export const registrations: Work = {
  name: 'registration',
  says: 'CPU and statements of a registration without its signature',
  async measure(run) {
    const { rounds } = run.pace
    const needed = MOST * (rounds + 3)
    const keys = 40
    const scene = await makeScene({ people: 2, models: Math.ceil(needed / (keys - 1)) + 1, keys })
    const signature = await startRepetitions('signature', [RSA, 'sign', '4096'])
    run.after(signature.stop)
    const fake = await startFakeDeviceService()
    run.after(fake.stop)
    const [anyUnit] = unitsOf(scene)
    const there = async (wire: Wire) => registerThere(present(anyUnit), wire)
    const theirs: Contender = {
      ...{ name: FAKE, load: flows(fake.port, CLIENTS, there) },
      pids: () => [fake.pid],
    }
    return onEachDatabase(run, scene, async (service, database) => {
      const units: Unit[] = unitsOf(scene)
      const flow = async (wire: Wire) => {
        await registerOne(present(units.pop()), wire)
      }
      const ours = contender(
        'registration',
        service,
        flows(service.port, CLIENTS, flow, run.quick ? 20 : MOST),
        `registration-${database}`,
      )
      const measured = await alternate([ours, signature, theirs], run.pace)
      const { median } = named(measured, 'registration')
      const apart = named(measured, 'signature').median.cpu
      const more = { rounds: measured.map(detailsOf), perSecond: median.rate }
      const facts = { what: 'registration', database, more }
      const figures = [
        alone(
          { ...facts, measure: 'ms of node CPU without the signature', ours: median.cpu - apart },
          atMost(1.2),
        ),
        ratio(
          { ...facts, measure: 'per second', ours: median.rate },
          { name: FAKE, value: named(measured, FAKE).median.rate },
          atLeast(1),
        ),
      ]
      if (database === 'sqlite') return figures
      return [
        ...figures,
        alone({ ...facts, measure: 'statements', ours: median.statements }, atMost(14)),
        alone({ ...facts, measure: 'ms of PostgreSQL CPU', ours: median.databaseCpu }, atMost(2)),
      ]
    })
  },
}
