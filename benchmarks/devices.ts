/**
 * How fast the register is when it is large: `node benchmarks/devices.ts [DEVICES]` (1,000,000 by default) fills
 * one on SQLite and one on PostgreSQL by the operation of `devices import`. Prints the time of lists by each filter, of
 * showing one device, of a waiting registration's look-ups and of an export, and the query plan of each list. Asserts
 * nothing: on a shared machine only orders of magnitude are meaningful.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DeviceId } from '@ratafia/api'
import { sql } from 'kysely'
import { modelStore } from '../packages/server/src/brands/models/model-store.ts'
import { type Database, migrate, openDatabase } from '../packages/server/src/database/index.ts'
import { deviceStore } from '../packages/server/src/devices/device-store.ts'
import type { FleetFilter, FleetQuery } from '../packages/server/src/devices/fleet/fleet-filter.ts'
import { fleetStore } from '../packages/server/src/devices/fleet/fleet-store.ts'
import { searchFleet } from '../packages/server/src/devices/fleet/search-fleet.ts'
import { waitingStore } from '../packages/server/src/devices/registration/approval/waiting-store.ts'
import { registrationStore } from '../packages/server/src/devices/registration/registration-store.ts'
import { cloneStore } from '../packages/server/src/devices/sessions/clone-store.ts'
import { deviceSessionStore } from '../packages/server/src/devices/sessions/device-session-store.ts'
import { showDevice } from '../packages/server/src/devices/show-device.ts'
import { DEVICE_COLUMNS } from '../packages/server/src/devices/transfer/device-record.ts'
import {
  deviceTransferStore,
  registerImport,
} from '../packages/server/src/devices/transfer/device-transfer-store.ts'
import { exportDevices } from '../packages/server/src/devices/transfer/export-devices.ts'
import { type InImport, importDevices } from '../packages/server/src/devices/transfer/import-devices.ts'
import { exportText } from '../packages/server/src/files/export-rows.ts'
import { changing } from '../packages/server/src/start/changing.ts'
import { globalSetup, globalTeardown } from '../tools/test/postgres.ts'

const DEVICES = Number(process.argv[2] ?? 1_000_000)
const BRANDS = ['one-brand', 'two-brand', 'few-brand'] as const
const ROUNDS = 5
const AUTHOR = { actor: 'operator', source: 'benchmark' }

const keyOf = (index: number): string => createHash('sha384').update(String(index)).digest('base64url')

/** Ids in the order of the devices, as a UUID v7 of the millisecond would be. */
const idOf = (index: number): string => {
  const time = (Date.parse('2026-01-01') + index).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, '0')}`
}

/** Two large brands, one of them with three models, and one with a hundred devices; one in 1,000 is revoked. */
function deviceOf(index: number): readonly string[] {
  const few = index % (DEVICES / 100) === 7
  const brand = few ? 2 : index % 2
  const model = brand === 1 ? `model-${index % 3}` : 'model-0'
  const status = index % 1000 === 500 ? 'revoked' : 'active'
  const quarantined = index % 100_000 === 3 ? '2026-01-01T00:00:00.000Z' : ''
  return [
    idOf(index),
    BRANDS[brand] ?? '',
    model,
    `S-${index}`,
    keyOf(index),
    status,
    '0',
    'import',
    quarantined,
  ]
}

async function* csv(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('id,brand_id,model,serial,device_key_id,status,revision,origin,quarantined_at\n')
  for (let start = 0; start < DEVICES; start += 1000) {
    const lines = Array.from({ length: Math.min(1000, DEVICES - start) }, (_, index) =>
      deviceOf(start + index).join(','),
    )
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

async function best(work: () => Promise<unknown>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) fastest = Math.min(fastest, await seconds(work))
  return fastest
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const say = (what: string, took: number, more = '') =>
  print(`  ${what.padEnd(46)} ${took < 1 ? `${(took * 1000).toFixed(1)} ms` : `${took.toFixed(1)} s`}${more}`)

const memory = () => `, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB resident`

async function measure(database: Database, directory: string): Promise<void> {
  await migrate(database)
  const devices = deviceStore(database)
  const deviceTransfers = deviceTransferStore(database)
  const stores = {
    devices,
    registrations: registrationStore(database),
    deviceSessions: deviceSessionStore(database),
    clones: cloneStore(database),
  }
  const clock = () => new Date()
  const inImport: InImport = (work) =>
    database.unhurried((query) =>
      changing({ query }, clock, (on) => ({ register: registerImport(on), models: modelStore(on) }))(AUTHOR)(
        work,
      ),
    )
  print(`${database.kind}: ${DEVICES} devices`)
  const took = await seconds(() =>
    importDevices({ source: { format: 'csv', open: csv }, unknownModels: true }, { inImport, clock }),
  )
  say('import', took, ` (${Math.round(DEVICES / took)} a second${memory()})`)
  if (database.kind === 'postgres') await sql`analyze device`.execute(database.query)

  const middle = Math.floor(DEVICES / 2)
  const after = { id: idOf(middle) as DeviceId }
  const week = 7 * 86_400_000
  const filters: readonly (readonly [string, FleetFilter, Partial<FleetQuery>?])[] = [
    ['all', {}],
    ['--before the middle', {}, { after }],
    ['--brand, large', { brandId: BRANDS[0] }],
    ['--brand, small', { brandId: BRANDS[2] }],
    ['--brand --before', { brandId: BRANDS[0] }, { after }],
    ['--model, large', { brandId: BRANDS[0], model: 'model-0' }],
    ['--model, of several', { brandId: BRANDS[1], model: 'model-2' }],
    ['--model --before', { brandId: BRANDS[0], model: 'model-0' }, { after }],
    ['--model --status revoked', { brandId: BRANDS[0], model: 'model-0', status: 'revoked' }],
    ['--model --status pending', { brandId: BRANDS[0], model: 'model-0', status: 'pending' }],
    ['--brand --status pending', { brandId: BRANDS[0], status: 'pending' }],
    ['--status active', { status: 'active' }],
    ['--status revoked', { status: 'revoked' }],
    ['--status pending', { status: 'pending' }],
    ['--serial', { serial: `S-${middle}` }],
    ['--serial-prefix', { serialPrefix: `S-${Math.floor(middle / 100)}` }],
    ['--key', { deviceKeyId: keyOf(middle) }],
    ['--key-prefix', { keyPrefix: keyOf(middle).slice(0, 8) }],
    ['--registered-after', { registeredSince: new Date(Date.now() - week) }],
    ['--session-before', { sessionBefore: new Date(Date.now() - week) }],
    ['--without-session', { hadSession: false }],
    ['--address', { address: '192.0.2.1' }],
    ['--clones', { evidence: 'any' }, { withEvidence: true }],
    ['--last-session', {}, { withLastSession: true }],
    ['--sort registered', {}, { order: 'registered' }],
    ['--sort registered --before', {}, { order: 'registered', after }],
    ['--sort serial', {}, { order: 'serial' }],
    ['--sort serial --before', {}, { order: 'serial', after }],
    ['--sort session', {}, { order: 'session' }],
    ['--quarantined', { quarantined: true }],
    ['--quarantined --brand', { quarantined: true, brandId: BRANDS[0] }],
    ['--quarantined --model', { quarantined: true, brandId: BRANDS[1], model: 'model-2' }],
    ['--quarantined --status active', { quarantined: true, status: 'active' }],
  ]
  for (const [what, filter, more] of filters) {
    const query = { ...EVERYTHING, filter, ...more }
    const time = await best(() => searchFleet(query, { fleet: fleetOn(database) }, async () => {}))
    say(`list ${what}`, time, `  ${await planOf(database, query)}`)
  }
  const name = `${BRANDS[0]}/model-0/S-${middle - (middle % 2)}`
  say('show BRAND/MODEL/SERIAL', await best(() => showDevice({ name, limit: 20 }, stores)))
  say('show KEY', await best(() => showDevice({ name: keyOf(middle), limit: 20 }, stores)))
  say(
    'how many wait',
    await best(() => waitingStore(database).count({ brandId: BRANDS[0], model: 'model-0' }, 10_000)),
  )
  const serial = { brandId: BRANDS[0], model: 'model-0', serial: `S-${middle - (middle % 2)}` }
  say('who holds a serial', await best(() => devices.findHolder(serial)))
  const key = { brandId: BRANDS[0], model: 'model-0', deviceKeyId: keyOf(middle - (middle % 2)) }
  say('what a key has', await best(() => devices.findByKey(key)))

  for (const format of ['csv', 'json'] as const) {
    const file = join(directory, `export.${format}`)
    const pages = exportDevices({ filter: {} }, { deviceTransfers })
    const text = Readable.from(exportText(pages, { format, columns: DEVICE_COLUMNS }))
    const time = await seconds(() => pipeline(text, createWriteStream(file)))
    const size = Math.round((await stat(file)).size / 2 ** 20)
    say(`export, ${format}`, time, ` (${Math.round(DEVICES / time)} a second, ${size} MiB${memory()})`)
  }
  const model = { brandId: BRANDS[0], model: 'model-0' }
  say(
    'export --model of half of them',
    await seconds(async () => {
      for await (const _page of exportDevices({ filter: model }, { deviceTransfers }));
    }),
  )
  const again = await seconds(() =>
    importDevices({ source: { format: 'csv', open: csv }, unknownModels: true }, { inImport, clock }),
  )
  say('import again, nothing new', again, memory())
}

const EVERYTHING: FleetQuery = {
  filter: {},
  order: 'entered',
  reverse: false,
  after: undefined,
  limit: 100,
  withLastSession: false,
  withEvidence: false,
}

/** On the connections that are open: a command opens one of its own. */
const fleetOn = ({ query }: Pick<Database, 'query'>) =>
  fleetStore({ query, unhurried: (work) => work(query) })

/** The query plan of the statement that lists. */
async function planOf(database: Database, wanted: FleetQuery): Promise<string> {
  const statements: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  const recorder = database.query.withPlugin({
    transformQuery: ({ node }) => {
      const compiled = database.query.getExecutor().compileQuery(node, { queryId: 'plan' })
      statements.push({ sql: compiled.sql, parameters: compiled.parameters })
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await fleetOn({ query: recorder }).searching((search) => search({ ...wanted, withEvidence: false }))
  const statement = statements.at(-1)
  if (!statement) return ''
  const explain = database.kind === 'sqlite' ? 'explain query plan ' : 'explain '
  const { rows } = await database.query.executeQuery<Record<string, unknown>>({
    sql: explain + statement.sql,
    parameters: statement.parameters,
    query: sql`select 1`.toOperationNode(),
    queryId: { queryId: 'explain' },
  } as never)
  const text = rows.map((row) => String(row['detail'] ?? row['QUERY PLAN']).trim())
  return database.kind === 'sqlite'
    ? text.join('; ')
    : text.filter((line) => /Scan|Sort /.test(line)).join('; ')
}

const directory = await mkdtemp(join(tmpdir(), 'ratafia-benchmark-'))
try {
  const sqlite = await openDatabase({ kind: 'sqlite', file: join(directory, 'ratafia.db') })
  await measure(sqlite, directory).finally(() => sqlite.close())
  print(`  ${Math.round((await stat(join(directory, 'ratafia.db'))).size / 2 ** 20)} MiB of database`)

  // The tests' server, which does not wait for the disk.
  await globalSetup()
  const url = process.env['RATAFIA_TEST_POSTGRES_URL'] ?? ''
  const postgres = await openDatabase({ kind: 'postgres', url })
  await measure(postgres, directory).finally(() => postgres.close())
} finally {
  await globalTeardown()
  await rm(directory, { recursive: true, force: true })
}
