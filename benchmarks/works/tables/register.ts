/** Measures a register of a million devices: showing one device, an export, and its import. */
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeScene } from '../../../faults/load/scene.ts'
import { directAuthority } from '../../../packages/server/src/authority.ts'
import * as parts from '../../../packages/server/src/devices/administration/device-parts.ts'
import { exportFleet } from '../../../packages/server/src/devices/administration/export-fleet.ts'
import { importDevices } from '../../../packages/server/src/devices/transfer/import-devices.ts'
import { type Fleet, fillRegister, keyOf } from '../../data/fleet.ts'
import { type Opened, opened } from '../../data/opened.ts'
import { median } from '../../harness/statistics.ts'
import { alone, type Figure } from '../../report/figure.ts'
import { DATABASES, newInstallation, removeInstallation } from '../../services/installation.ts'
import type { Run, Work } from '../work.ts'

const [ONE, TWO, FEW] = ['one-brand', 'two-brand', 'few-brand'] as const

/**
 * Two large brands, one of them with three models, and a small one. One device in 1,000 is revoked, and one in 10,000
 * is in quarantine.
 */
function fleetsOf(devices: number): readonly Fleet[] {
  const share = (of: number) => Math.round(devices * of)
  const quarantinedAt = '2026-01-01T00:00:00.000Z'
  return [
    { brandId: ONE, model: 'model-0', count: share(0.4989) },
    { brandId: ONE, model: 'model-0', count: share(0.001), status: 'revoked' },
    { brandId: ONE, model: 'model-0', count: share(0.0001), quarantinedAt },
    { brandId: TWO, model: 'model-0', count: share(0.1666) },
    { brandId: TWO, model: 'model-1', count: share(0.1666) },
    { brandId: TWO, model: 'model-2', count: share(0.1666) },
    { brandId: FEW, model: 'model-0', count: share(0.0002) },
  ]
}

const OPERATOR = directAuthority({ actor: 'operator', source: 'a benchmark' }, 'operator')

export const register: Work = {
  name: 'register',
  says: 'one device of a large register, an export, and an import of existing devices',
  async measure(run) {
    const devices = run.quick ? 10_000 : 1_000_000
    const scene = await makeScene({ people: 1, models: 1, keys: 1 })
    const figures: Figure[] = []
    for (const database of DATABASES) {
      run.say(`${database}: creating ${devices} devices`)
      const installation = await newInstallation(database, scene, run.directory)
      await fillRegister(installation, fleetsOf(devices))
      run.say(`${database}: export, import`)
      const took = await opened(installation, (on) => timesOf(on, devices, run))
      await removeInstallation(installation)
      figures.push(
        alone({ database, what: `show one of ${devices} devices`, measure: 'ms', ours: took.show }),
        alone({ database, what: 'export', measure: 'devices per second', ours: devices / took.export }),
        alone({
          ...{ database, what: 'import of existing devices', measure: 'devices per second' },
          ours: devices / took.importAgain,
        }),
      )
    }
    return { figures, refusals: [] }
  },
}

interface Times {
  /** The time in milliseconds; the others are in seconds. */
  readonly show: number
  readonly export: number
  readonly importAgain: number
}

async function timesOf(on: Opened, devices: number, { pace, directory }: Run): Promise<Times> {
  const { database } = on
  const several = async (work: () => Promise<unknown>) => {
    const times: number[] = []
    for (let round = 0; round < pace.rounds; round++) times.push((await seconds(work)) * 1_000)
    return median(times)
  }
  const shown = { name: keyOf(Math.floor(devices / 4)), limit: 20, authority: OPERATOR }
  // The same requests as `devices show`.
  const show = await several(async () => {
    await parts.activityOfDevice(shown, on)
    await parts.assertionsOfDevice(shown, on)
    await parts.registrationsOfDevice(shown, on)
    await parts.sessionsOfDevice(shown, on)
    await parts.evidenceOfDevice(shown, on)
  })
  const file = join(directory, `register-${database.kind}.csv`)
  const all = { authority: OPERATOR, filter: {}, sort: 'registered', asked: {} } as const
  const exported = await seconds(async () => {
    const text = await exportFleet({ ...all, format: 'csv', whole: true }, on)
    await pipeline(Readable.from(text), createWriteStream(file))
  })
  const source = { format: 'csv', open: () => createReadStream(file) } as const
  const importAgain = await seconds(() =>
    importDevices({ source, unknownModels: true, authority: OPERATOR }, on),
  )
  return { show, export: exported, importAgain }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}
