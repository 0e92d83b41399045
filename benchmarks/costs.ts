/**
 * What a single request costs, for `docs/reliability.md`: statements on PostgreSQL, milliseconds of CPU of a node and
 * of PostgreSQL, bytes added to the database. `node benchmarks/costs.ts`, on Linux. Asserts nothing.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ask,
  type Device,
  type DeviceSession,
  nonceRequest,
  open,
  opening,
  register,
  registration,
  registrationAgain,
  requestIdRequest,
  verification,
} from '../faults/load/device.ts'
import { exchange, logIn, type Token, whoami } from '../faults/load/log-in.ts'
import { seeded } from '../faults/load/random.ts'
import { makeScene } from '../faults/load/scene.ts'
import { newRecorder, Wire } from '../faults/load/wire.ts'
import { table } from '../faults/report.ts'
import { Postgres } from '../faults/world/postgres.ts'
import { thisRelease } from '../faults/world/release.ts'
import { makeWorld } from '../faults/world/world.ts'

const TIMES = 300
const AT_ONCE = 4
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

const directory = mkdtempSync(join(tmpdir(), 'ratafia-costs-'))
chmodSync(directory, 0o755)
const postgres = await Postgres.start(join(directory, 'postgres'))
await postgres.restart(['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=all'])
await postgres.query('create extension pg_stat_statements')
const scene = await makeScene({ people: 1, models: 12, keys: 40 })
const layout = { database: 'postgres', nodes: 1, workers: 1 } as const
const world = await makeWorld({
  ...{ scene, layout, directory, postgres: async () => postgres, release: thisRelease() },
})
try {
  await measureAll()
} finally {
  await world.end()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function measureAll(): Promise<void> {
  const [node] = world.nodes
  const [person] = scene.people
  if (!node || !person) throw new TypeError('there is a node, and a person')
  await node.start()
  const random = seeded('costs', '1')
  const recorder = newRecorder()
  const wire = new Wire([node], recorder)
  const units = scene.models.flatMap((model) => scene.keys.map((key) => ({ model, key })))
  const tokens: Token[] = []
  const devices: Device[] = []
  const sessions: DeviceSession[] = []
  const at = <T>(all: readonly T[], index: number): T => {
    const found = all[index % all.length]
    if (found === undefined) throw new Error('what came before failed')
    return found
  }
  const keep = <T>(into: T[], made: T | undefined) => {
    if (made === undefined) throw new Error('it was refused')
    into.push(made)
  }
  const nonce = async () => (await ask(nonceRequest, wire, random)) ?? ''
  const requestId = async () => (await ask(requestIdRequest, wire, random)) ?? ''
  // A node that has just started remembers nothing.
  const forget = async () => {
    await node.stop()
    await node.start()
    await logIn(person, wire, random)
  }
  const steps: readonly (readonly [
    string,
    (index: number) => Promise<unknown>,
    (() => Promise<unknown>)?,
  ])[] = [
    ['login: 5 requests', async () => keep(tokens, await logIn(person, wire, random))],
    ['exchange again', (index) => exchange(at(tokens, index), wire, random)],
    ['whoami, first time', (index) => wire.send(node, whoami(at(tokens, index))), forget],
    ['whoami, remembered', (index) => wire.send(node, whoami(at(tokens, index)))],
    ['request-id', requestId],
    [
      'registration: 2 requests',
      async () => {
        const unit = units.pop()
        if (!unit) throw new Error('no keys are left')
        keep(devices, await register(unit, registration(unit, await requestId()), wire, random))
      },
    ],
    ['registration, again', (index) => wire.send(node, registrationAgain(at(devices, index)))],
    [
      'session: 2 requests',
      async (index) => {
        const device = at(devices, index)
        keep(sessions, await open(device, opening(device, await nonce()), wire, random))
      },
    ],
    [
      'refresh: 2 requests',
      async (index) => {
        const previous = at(sessions, index)
        const request = opening(previous.device, await nonce(), previous)
        keep(sessions, await open(previous.device, request, wire, random))
      },
    ],
    ['device-session, first', (index) => wire.send(node, verification(at(sessions, index)))],
    ['device-session, remembered', (index) => wire.send(node, verification(at(sessions, index)))],
  ]
  const rows: (string | number)[][] = [
    ['operation', 'statements', 'node ms CPU', 'PostgreSQL ms CPU', 'bytes kept'],
  ]
  for (const [name, step, prepare] of steps) {
    await prepare?.()
    const before = await look(node.pids())
    await inParallel(step)
    const after = await look(node.pids())
    const each = (of: keyof typeof before, digits: number) =>
      ((after[of] - before[of]) / TIMES).toFixed(digits)
    rows.push([name, each('statements', 1), each('node', 2), each('server', 2), each('bytes', 0)])
  }
  const failed = recorder.history.filter(({ status }) => status !== 200 && status !== 401)
  const [cpu] = cpus()
  process.stdout.write(`${table(rows)}\n\n${TIMES} of each, ${AT_ONCE} at once, ${failed.length} refused; `)
  process.stdout.write(`${cpu?.model}, Node ${process.versions.node}\n`)
}

async function inParallel(step: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < TIMES) await step(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function look(node: readonly number[]) {
  const [row] = await postgres.query(
    `select (select sum(calls) from pg_stat_statements where dbid <> 5) as statements,
      (select sum(pg_database_size(oid)) from pg_database where datname like 'faults%') as bytes`,
  )
  return {
    statements: Number(row?.['statements']),
    bytes: Number(row?.['bytes']),
    node: milliseconds(node),
    server: milliseconds([postgres.pid ?? 0]) + endedChildren(postgres.pid ?? 0),
  }
}

/** User and system time of the processes and their children. */
function milliseconds(pids: readonly number[]): number {
  const all = new Set(pids.flatMap((pid) => [pid, ...childrenOf(pid)]))
  return [...all].reduce((sum, pid) => sum + timesOf(pid, [11, 12]), 0)
}

/** The time of children that have ended. */
function endedChildren(pid: number): number {
  return timesOf(pid, [13, 14])
}

function timesOf(pid: number, fields: readonly number[]): number {
  // After the name in brackets, which may have spaces.
  const stat = statOf(pid).split(') ')[1]?.split(' ') ?? []
  return fields.reduce((sum, field) => sum + (Number(stat[field] ?? 0) * 1_000) / TICKS, 0)
}

/** Empty for a process that has just ended. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

function childrenOf(parent: number): readonly number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, of]) => (pid !== undefined && of === parent ? [pid] : []))
}
