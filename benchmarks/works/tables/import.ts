/** Compares `ratafia devices import` with inserts and `COPY` of the same rows, and how soon a list of all begins. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeScene } from '../../../faults/load/scene.ts'
import { PROGRAM, ROOT } from '../../../tools/test/programs.ts'
import { groupsOf } from '../../data/opened.ts'
import { onCores, SERVER_CORE } from '../../harness/cores.ts'
import { median } from '../../harness/statistics.ts'
import { alone, atLeast, atMost, type Figure, ratio } from '../../report/figure.ts'
import {
  type BenchInstallation,
  DATABASES,
  type DatabaseKind,
  newInstallation,
  removeInstallation,
} from '../../services/installation.ts'
import type { Work } from '../work.ts'

const LINES = 1_000
/** The devices whose rows are read at a time, outside the measured time, so that not all of them are in memory. */
const AHEAD = 10_000

export const imports: Work = {
  name: 'import',
  says: 'an import of devices, compared with bare inserts or COPY, and the start of a list of them',
  async measure(run) {
    const devices = run.quick ? 20_000 : 1_000_000
    const scene = await makeScene({ people: 1, models: 1, keys: 1 })
    const file = join(run.directory, 'devices.csv')
    await pipeline(Readable.from(csv(devices)), createWriteStream(file))
    const figures: Figure[] = []
    for (const database of DATABASES) {
      const rates = { ours: [] as number[], theirs: [] as number[] }
      const begins: number[] = []
      for (let round = 0; round < run.pace.rounds; round++) {
        const [ours, theirs] = [
          await newInstallation(database, scene, run.directory),
          await newInstallation(database, scene, run.directory),
        ]
        run.say(`${database}: round ${round + 1} of ${run.pace.rounds}`)
        const imported = await timed(ours, ['devices', 'import', '--unknown-models', file])
        rates.ours.push(devices / imported.all)
        rates.theirs.push(devices / (await BARE[database](ours, theirs)))
        begins.push((await timed(ours, ['devices', 'list', '--limit', String(devices)])).first)
        run.say(
          `${database}: ${rates.ours.map(Math.round)} per second, theirs ${rates.theirs.map(Math.round)}`,
        )
        for (const each of [ours, theirs]) await removeInstallation(each)
      }
      figures.push(...figuresOf(database, devices, rates, begins))
    }
    return { figures, refusals: [] }
  },
}

/** Yields devices in an order other than that of keys and serials, as they come from a factory. */
function* csv(devices: number): Generator<string> {
  yield 'brand_id,model,serial,device_key_id,status,revision,origin\n'
  for (let start = 0; start < devices; start += LINES) {
    const lines = Array.from({ length: Math.min(LINES, devices - start) }, (_, at) => {
      const key = createHash('sha384')
        .update(String(start + at))
        .digest('base64url')
      return `brand-${at % 3},model-${at % 2},${key.slice(0, 12)},${key},active,0,import`
    })
    yield `${lines.join('\n')}\n`
  }
}

/** Runs a command, and returns the seconds from the start of its process to its first and its last output. */
async function timed(
  { environment }: BenchInstallation,
  words: readonly string[],
): Promise<{ readonly first: number; readonly all: number }> {
  const [program, args] = onCores(SERVER_CORE, [process.execPath, join(ROOT, PROGRAM), ...words])
  const began = performance.now()
  const since = () => (performance.now() - began) / 1_000
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let first: number | undefined
  child.stdout.on('data', () => {
    first ??= since()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`ratafia ${words.join(' ')} exited with ${code}`)
  return { first: first ?? since(), all: since() }
}

/** The queries for the rows that an import stores in each table, in the order of the devices. */
const ROWS = {
  device: 'select * from device',
  serial_holder: 'select serial_holder.* from device join serial_holder using (brand_id, model, serial)',
} as const

/** Stores the rows of `from` in the empty `to`, which is the least that an import does, and returns the seconds. */
const BARE: Readonly<
  Record<DatabaseKind, (from: BenchInstallation, to: BenchInstallation) => Promise<number>>
> = { sqlite: insertEach, postgres: copy }

async function insertEach(from: BenchInstallation, to: BenchInstallation): Promise<number> {
  const source = new DatabaseSync(join(from.directory, 'data/ratafia.db'))
  const target = new DatabaseSync(join(to.directory, 'data/ratafia.db'))
  // The service opens it with this setting.
  target.exec('pragma synchronous = full')
  const tables = Object.entries(ROWS).map(([table, rows]) => {
    const page = source.prepare(`${rows} where device.id between ? and ? order by device.id`)
    const places = page.columns().map(() => '?')
    return { page, insert: target.prepare(`insert into ${table} values (${places.join(', ')})`) }
  })
  const ids = source.prepare('select id from device order by id').all()
  let seconds = 0
  const taking = (work: () => void) => {
    const began = performance.now()
    work()
    seconds += (performance.now() - began) / 1_000
  }
  taking(() => target.exec('begin immediate'))
  for (const group of groupsOf(ids, AHEAD)) {
    const bounds = [group[0]?.['id'] ?? null, group.at(-1)?.['id'] ?? null]
    for (const { page, insert } of tables) {
      const rows = page.all(...bounds).map((row) => Object.values(row) as SQLInputValue[])
      taking(() => {
        for (const row of rows) insert.run(...row)
      })
    }
  }
  taking(() => target.exec('commit'))
  source.close()
  target.close()
  return seconds
}

/** Copies the rows from files next to the server's data. */
async function copy(
  { postgres: from }: BenchInstallation,
  { postgres: to }: BenchInstallation,
): Promise<number> {
  if (!from || !to) throw new TypeError('COPY needs PostgreSQL')
  const [setting] = await from.server.query('show data_directory')
  let seconds = 0
  for (const [table, rows] of Object.entries(ROWS)) {
    const file = join(String(setting?.['data_directory']), `${table}.copy`)
    await from.server.query(`copy (${rows} order by device.id) to '${file}'`, from.database)
    const began = performance.now()
    await to.server.query(`copy ${table} from '${file}'`, to.database)
    seconds += (performance.now() - began) / 1_000
    await rm(file)
  }
  return seconds
}

function figuresOf(
  database: DatabaseKind,
  devices: number,
  { ours, theirs }: { readonly ours: readonly number[]; readonly theirs: readonly number[] },
  begins: readonly number[],
): readonly Figure[] {
  const name = database === 'sqlite' ? 'bare inserts' : 'COPY'
  return [
    ratio(
      {
        ...{ what: `import of ${devices} devices`, database, measure: 'devices per second' },
        ...{ ours: median(ours), more: { ours, theirs } },
      },
      { name, value: median(theirs) },
      atLeast(0.5),
    ),
    alone(
      {
        ...{ what: `first output of a list of ${devices} devices`, database, measure: 'seconds' },
        ...{ ours: median(begins), more: { rounds: begins } },
      },
      atMost(1),
    ),
  ]
}
