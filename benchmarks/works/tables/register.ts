/** A register with a million devices: every list an operator can ask for, one device, an export, and its import. */
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeScene } from '../../../faults/load/scene.ts'
import { directAuthority } from '../../../packages/server/src/authority.ts'
import { showDevice } from '../../../packages/server/src/devices/administration/show-device.ts'
import type { FleetFilter, FleetQuery } from '../../../packages/server/src/devices/fleet/fleet-filter.ts'
import { fleetStore } from '../../../packages/server/src/devices/fleet/fleet-store.ts'
import { searchFleet } from '../../../packages/server/src/devices/fleet/search-fleet.ts'
import { DEVICE_COLUMNS } from '../../../packages/server/src/devices/transfer/device-columns.ts'
import { exportDevices } from '../../../packages/server/src/devices/transfer/export-devices.ts'
import { importDevices } from '../../../packages/server/src/devices/transfer/import-devices.ts'
import { exportText } from '../../../packages/server/src/files/export-rows.ts'
import { type Fleet, fillRegister, keyOf, serialOf } from '../../data/fleet.ts'
import { type Opened, opened } from '../../data/opened.ts'
import { median } from '../../harness/statistics.ts'
import { alone, type Figure } from '../../report/figure.ts'
import { DATABASES, newInstallation, removeInstallation } from '../../services/installation.ts'
import type { Run, Work } from '../work.ts'

const [ONE, TWO, FEW] = ['one-brand', 'two-brand', 'few-brand'] as const

/** Two large brands, one of them with three models, and a small one; one in 1,000 is revoked, one in 10,000 in quarantine. */
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
  says: 'every list of a large register, one device, an export, and an import of what is there',
  async measure(run) {
    const devices = run.quick ? 10_000 : 1_000_000
    const scene = await makeScene({ people: 1, models: 1, keys: 1 })
    const figures: Figure[] = []
    for (const database of DATABASES) {
      run.say(`${database}: making ${devices} devices`)
      const installation = await newInstallation(database, scene, run.directory)
      await fillRegister(installation, fleetsOf(devices))
      run.say(`${database}: lists, export, import`)
      const took = await opened(installation, (on) => timesOf(on, devices, run))
      await removeInstallation(installation)
      const [slowest] = [...took.lists].sort(([, a], [, b]) => b - a)
      const facts = { database, more: { lists: Object.fromEntries(took.lists) } }
      figures.push(
        alone({
          ...{
            ...facts,
            what: `of ${took.lists.size} lists of ${devices} devices the slowest, ${slowest?.[0]}`,
          },
          ...{ measure: 'ms', ours: slowest?.[1] ?? Number.NaN },
        }),
        alone({ database, what: `one of ${devices} devices`, measure: 'ms', ours: took.show }),
        alone({ database, what: 'export', measure: 'devices a second', ours: devices / took.export }),
        alone({
          ...{ database, what: 'import of what is there', measure: 'devices a second' },
          ours: devices / took.importAgain,
        }),
      )
    }
    return { figures, refusals: [] }
  },
}

interface Times {
  /** Milliseconds; the others: seconds but for `show`. */
  readonly lists: ReadonlyMap<string, number>
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
  // On the connections that are open: a command opens one of its own.
  const fleet = fleetStore({ query: database.query, unhurried: (work) => work(database.query) })
  const lists = new Map<string, number>()
  for (const [name, query] of await queriesOf(on, devices)) {
    lists.set(name, await several(() => searchFleet(query, { ...on, fleet }, async () => {})))
  }
  const show = await several(() =>
    showDevice({ name: keyOf(Math.floor(devices / 4)), limit: 20, authority: OPERATOR }, on),
  )
  const file = join(directory, `register-${database.kind}.csv`)
  const text = () => exportText(exportDevices({ filter: {} }, on), { format: 'csv', columns: DEVICE_COLUMNS })
  const exported = await seconds(() => pipeline(Readable.from(text()), createWriteStream(file)))
  const source = { format: 'csv', open: () => createReadStream(file) } as const
  const importAgain = await seconds(() =>
    importDevices({ source, unknownModels: true, authority: OPERATOR }, on),
  )
  return { lists, show, export: exported, importAgain }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

const WEEK_MS = 7 * 86_400_000
const EVERYTHING: FleetQuery = {
  ...{ filter: {}, order: 'entered', reverse: false, after: undefined, limit: 100 },
  ...{ withLastSession: false, withEvidence: false },
}

/** By the options of `ratafia devices list`. */
async function queriesOf(
  { devices: register }: Opened,
  devices: number,
): Promise<ReadonlyMap<string, FleetQuery>> {
  const middle = Math.floor(devices / 4)
  const one = { brandId: ONE, model: 'model-0' }
  const after = await register.findHolder({ ...one, serial: serialOf(middle) })
  const lastWeek = new Date(Date.now() - WEEK_MS)
  const filters: Readonly<Record<string, FleetFilter>> = {
    'all devices': {},
    '--brand, large': { brandId: ONE },
    '--brand, small': { brandId: FEW },
    '--model': one,
    '--model, of several': { brandId: TWO, model: 'model-2' },
    '--model --status revoked': { ...one, status: 'revoked' },
    '--model --status pending': { ...one, status: 'pending' },
    '--brand --status pending': { brandId: ONE, status: 'pending' },
    '--status active': { status: 'active' },
    '--status revoked': { status: 'revoked' },
    '--status pending': { status: 'pending' },
    '--serial': { serial: serialOf(middle) },
    '--serial-prefix': { serialPrefix: serialOf(Math.floor(middle / 100)) },
    '--key': { deviceKeyId: keyOf(middle) },
    '--key-prefix': { keyPrefix: keyOf(middle).slice(0, 8) },
    '--registered-after': { registeredSince: lastWeek },
    '--session-before': { sessionBefore: lastWeek },
    '--without-session': { hadSession: false },
    '--address': { address: '192.0.2.1' },
    '--clones': { evidence: 'any' },
    '--quarantined': { quarantined: true },
    '--quarantined --brand': { quarantined: true, brandId: ONE },
    '--quarantined --model': { quarantined: true, brandId: TWO, model: 'model-2' },
    '--quarantined --status active': { quarantined: true, status: 'active' },
  }
  const orders: Readonly<Record<string, Partial<FleetQuery>>> = {
    '--before': { after },
    '--brand --before': { filter: { brandId: ONE }, after },
    '--model --before': { filter: one, after },
    '--last-session': { withLastSession: true },
    '--sort registered': { order: 'registered' },
    '--sort registered --before': { order: 'registered', after },
    '--sort serial': { order: 'serial' },
    '--sort serial --before': { order: 'serial', after },
    '--sort session': { order: 'session' },
  }
  const filtered = Object.entries(filters).map(([name, filter]) => [name, { filter }] as const)
  return new Map(
    [...filtered, ...Object.entries(orders)].map(
      ([name, part]) => [name, { ...EVERYTHING, ...part }] as const,
    ),
  )
}
