/** One fault from start to end: a world, a load, strikes, and the checker's verdict. */
import { mkdirSync } from 'node:fs'
import { ROOT } from '../tools/test/programs.ts'
import { check, type Violation } from './check/invariants.ts'
import { beginning, type Fault, type Pace } from './faults.ts'
import { type Tally, tally } from './history.ts'
import { type Client, newClient } from './load/client.ts'
import { readTruth, showEverything } from './load/final.ts'
import { firstRules } from './load/job.ts'
import { logIn } from './load/log-in.ts'
import { run as runClient } from './load/operations.ts'
import { DUTIES, operate } from './load/operator.ts'
import { seeded } from './load/random.ts'
import { RULE_DUTIES } from './load/rule-duties.ts'
import type { Scene } from './load/scene.ts'
import { newRecorder, type Recorder, type Target, Wire } from './load/wire.ts'
import type { Evidence } from './striking.ts'
import type { Postgres } from './world/postgres.ts'
import { sleep } from './world/processes.ts'
import type { Release } from './world/release.ts'
import { type Layout, makeWorld, type World } from './world/world.ts'

export interface Run {
  readonly fault: Fault
  readonly seed: string
  readonly scene: Scene
  /** Of the load. */
  readonly seconds: number
  /** A new one for this run. */
  readonly directory: string
  readonly postgres: () => Promise<Postgres>
  /** Code other than this checkout's, with the statements that its database needs. */
  readonly planted?: { readonly release: Release; readonly statements: readonly string[] }
}

export interface Result extends Tally {
  readonly fault: string
  readonly strikes: number
  readonly evidence: Evidence
  /** Of the load. */
  readonly seconds: number
  readonly violations: readonly Violation[]
  readonly notes: readonly string[]
}

export const CLIENTS = 8
export const PEOPLE_EACH = 2
/** The pause between two strikes. */
const CALM_MS = 700
/** A command occupies a core for half a second. */
const FULL_PACE: Pace = { client: 0, operator: 700, rules: 1_200 }
const RECOVERY_DEADLINE_MS = 30_000
/** The time a run may take in addition to its load. */
const LONGEST_BESIDES_S = 300

export async function run({
  fault,
  seed,
  scene,
  directory,
  postgres,
  planted,
  ...asked
}: Run): Promise<Result> {
  const seconds = Math.max(asked.seconds, fault.leastSeconds ?? 0)
  mkdirSync(directory, { mode: 0o755 })
  const overdue = setTimeout(() => hangs(fault), (seconds + LONGEST_BESIDES_S) * 1_000).unref()
  const { release, note } = planted
    ? { ...planted, note: undefined }
    : await beginning(fault, `${directory}/release`)
  const world = await makeWorld({ scene, layout: fault, directory, postgres, release })
  try {
    for (const statement of planted?.statements ?? []) await world.statement(statement)
    const result = await breakWorld(world, { fault, seed, scene, seconds })
    return { ...result, notes: [note ?? [], world.disk?.how ?? []].flat() }
  } finally {
    await world.end()
    clearTimeout(overdue)
  }
}

interface Breaking extends Pick<Run, 'seed' | 'scene' | 'seconds'> {
  readonly fault: Omit<Fault, keyof Layout>
}

/** Starts the nodes of a new world, strikes under load, and asks the checker. The world does not end. */
export async function breakWorld(world: World, { fault, seed, scene, seconds }: Breaking): Promise<Result> {
  await Promise.all(world.nodes.map((node, at) => node.start(fault.environment?.(at))))
  const recorder = newRecorder()
  const wire = new Wire(world.nodes, recorder)
  const upgraded = () => world.nodes.every(({ installation: { tree } }) => tree === ROOT)
  const { issuer } = world
  const clients = makeClients({ wire, scene, upgraded, issuer, seed, fault: fault.name })
  const { strikes, evidence } = await underLoad({ fault, world, clients, seed, recorder, seconds })
  await fault.finish?.(world)
  const lost = await comeBack(world, clients, recorder)
  await showEverything(clients)
  wire.close()
  const truth = { ...(await readTruth(world.ratafia)), lost }
  const { history } = recorder
  return {
    ...tally(history),
    ...{ fault: fault.name, strikes, evidence, seconds, notes: [] },
    violations: check(history, truth),
  }
}

/** Every wait has its own limit; should one be missing, this one ends the run and everything is cleaned up. */
function hangs({ name }: Fault): never {
  process.stderr.write(`${name} hangs: given up\n`)
  process.exit(1)
}

interface Making extends Pick<Client, 'wire' | 'upgraded' | 'issuer'> {
  readonly scene: Scene
  readonly seed: string
  /** Its name. */
  readonly fault: string
}

function makeClients({ scene, seed, fault, ...common }: Making): Client[] {
  const { people, models, asked, next, keys } = scene
  const rules = common.issuer.added ? firstRules(people) : []
  const peopleOf = (at: number) => people.slice(at * PEOPLE_EACH, (at + 1) * PEOPLE_EACH)
  return Array.from({ length: CLIENTS }, (_, at) => {
    const own = keys.filter((_, key) => key % CLIENTS === at)
    return newClient({
      ...common,
      rules: rules.filter(({ person }) => peopleOf(at).includes(person)),
      randomOf: (turn) => seeded(seed, `${fault} client ${at + 1} turn ${turn}`),
      people: peopleOf(at),
      units: models.flatMap((model) => own.map((key) => ({ model, key }))),
      asking: own.map((key) => ({ model: asked, key })),
      next,
    })
  })
}

interface Load extends Omit<Breaking, 'scene'> {
  readonly world: World
  readonly clients: readonly Client[]
  readonly recorder: Recorder
}

async function underLoad({ fault, world, clients, seed, recorder, seconds }: Load) {
  const deadline = performance.now() + seconds * 1_000
  let struck = false
  let strikes = 0
  const evidence: Record<string, number> = {}
  const strike = async () => {
    try {
      while (performance.now() < deadline || strikes < (fault.leastStrikes ?? 1)) {
        await sleep(CALM_MS)
        const random = seeded(seed, `${fault.name} strike ${strikes + 1}`)
        const shown = await fault.strike({ world, clients, random, recorder, round: strikes + 1 })
        for (const [name, times] of Object.entries(shown)) evidence[name] = (evidence[name] ?? 0) + times
        strikes++
      }
    } finally {
      struck = true
    }
  }
  const { ratafia } = world
  const over = () => struck
  const ofOneRelease = () =>
    world.nodes.every(({ installation }) => installation.tree === world.installation.tree)
  const randomOf = (who: string) => (turn: number) => seeded(seed, `${fault.name} ${who} turn ${turn}`)
  const { pace = FULL_PACE } = fault
  const common = { clients, recorder, ratafia, ofOneRelease }
  await Promise.all([
    strike(),
    ...clients.map((client) => runClient(client, over, pace.client)),
    operate({ ...common, randomOf: randomOf('operator'), duties: DUTIES, pauseMs: pace.operator }, over),
    operate({ ...common, randomOf: randomOf('rules'), duties: RULE_DUTIES, pauseMs: pace.rules }, over),
  ])
  return { strikes, evidence }
}

/** Waits until every node serves a complete login. Returns what does not, and what ended by itself. */
async function comeBack(world: World, clients: readonly Client[], recorder: Recorder): Promise<string[]> {
  const served = await Promise.all(
    world.nodes.map(async (node) => {
      const serves = node.running && (await servesAgain(node, clients, recorder))
      return serves ? [] : [`${node.name} did not serve again`]
    }),
  )
  return [...served.flat(), ...world.nodes.flatMap(({ endings }) => endings)]
}

async function servesAgain(
  target: Target,
  [client]: readonly Client[],
  recorder: Recorder,
): Promise<boolean> {
  const person = client?.people[0]
  if (!client || !person) return false
  const wire = new Wire([target], recorder)
  const deadline = performance.now() + RECOVERY_DEADLINE_MS
  try {
    while (performance.now() < deadline) {
      const token = await logIn(person, wire, client.random, client.eras.of(person))
      if (token) {
        client.tokens.push(token)
        return true
      }
      await sleep(100)
    }
    return false
  } finally {
    wire.close()
  }
}
