/** Runs one fault from start to end: a world, a load, strikes, and the checker's verdict. */
import { mkdirSync } from 'node:fs'
import { check, type Violation } from './check/invariants.ts'
import { unexpectedLines } from './check/logs.ts'
import { overLimits } from './check/resources.ts'
import type { Fault } from './faults.ts'
import { type Tally, tally } from './history.ts'
import { type Client, newClient } from './load/client.ts'
import { readTruth, showEverything } from './load/final.ts'
import { firstRules } from './load/job.ts'
import { logIn } from './load/log-in.ts'
import { seeded } from './load/random.ts'
import type { Scene } from './load/scene.ts'
import { newRecorder, type Recorder, type Target, Wire } from './load/wire.ts'
import { lastWords, say, stillRuns } from './progress.ts'
import type { Evidence } from './striking.ts'
import { type Amount, type Load, newLoad, underLoad } from './under-load.ts'
import type { Postgres } from './world/postgres.ts'
import { sleep } from './world/processes.ts'
import { type Release, thisRelease } from './world/release.ts'
import { resourcesOf } from './world/resources.ts'
import { HANGS_AFTER_MS } from './world/until.ts'
import { type Layout, makeWorld, type World } from './world/world.ts'

/** Returns how long the load continues after a check with these findings; undefined ends the run. */
type Again = (violations: readonly Violation[]) => Amount | undefined

export interface Run {
  readonly fault: Fault
  readonly seed: string
  readonly scene: Scene
  readonly amount: Amount
  /** Default: the run ends with the first check. */
  readonly again?: Again
  /** The directory for this run, which it creates. */
  readonly directory: string
  readonly postgres: () => Promise<Postgres>
  /** Code other than this checkout's, with the statements that its database needs. */
  readonly planted?: { readonly release: Release; readonly statements: readonly string[] }
}

export interface Result extends Tally {
  readonly fault: string
  readonly strikes: number
  readonly evidence: Evidence
  /** How long the load ran. */
  readonly seconds: number
  readonly violations: readonly Violation[]
  readonly notes: readonly string[]
  /** Why there is no verdict: the stage, what the run waited for, and what its nodes logged last. */
  readonly gaveUp?: string
}

export const CLIENTS = 8
export const PEOPLE_EACH = 2
/** Ends a wait without a limit. Most waits have their own limit of ten minutes. */
const HANGS_AFTER_S = 3_600

/** The time between two messages about a long run. */
const STILL_RUNS_EVERY_MS = 120_000

/** Runs a fault. Never throws: if the run itself fails, the result has the reason. */
export async function run({ directory, postgres, planted, ...asked }: Run): Promise<Result> {
  const { fault, scene } = asked
  const amount = { ...asked.amount, seconds: Math.max(asked.amount.seconds ?? 0, fault.leastSeconds ?? 0) }
  const recorder = newRecorder()
  const { progress } = recorder
  let world: World | undefined
  const work = async (): Promise<Result> => {
    mkdirSync(directory, { mode: 0o755 })
    progress.enter('set up the database')
    const { release = thisRelease() } = planted ?? {}
    const making = { scene, layout: fault, directory, postgres, release }
    world = await makeWorld(making, (why) => say(`${fault.name}: ${why}`))
    for (const statement of planted?.statements ?? []) await world.statement(statement)
    const result = await breakWorld(world, { ...asked, amount, recorder })
    return { ...result, notes: [world.disk?.how ?? []].flat() }
  }
  const began = performance.now()
  const still = setInterval(() => {
    say(stillRuns(fault.name, Math.round((performance.now() - began) / 60_000), progress))
  }, STILL_RUNS_EVERY_MS)
  try {
    return await inTime(work())
  } catch (error) {
    progress.giveUp()
    const { history } = recorder
    return {
      ...tally(history),
      ...{ fault: fault.name, strikes: 0, evidence: {}, seconds: amount.seconds, violations: [], notes: [] },
      gaveUp: lastWords(error, progress, world?.nodes ?? []),
    }
  } finally {
    clearInterval(still)
    // A node that hangs would not stop.
    if (progress.gaveUp) await Promise.all(world?.nodes.map((node) => node.kill()) ?? [])
    await world?.end().catch(() => undefined)
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it hangs')), HANGS_AFTER_S * 1_000)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

interface Breaking extends Pick<Run, 'seed' | 'scene' | 'amount' | 'again'> {
  readonly fault: Omit<Fault, keyof Layout>
  readonly recorder?: Recorder
}

/** Starts the nodes of a new world, strikes under load, and runs the checker. Does not end the world. */
export async function breakWorld(
  world: World,
  { fault, seed, scene, amount, again, recorder = newRecorder() }: Breaking,
): Promise<Result> {
  const { progress } = recorder
  progress.enter('started the nodes')
  await Promise.all(world.nodes.map((node, at) => node.start(fault.environment?.(at))))
  const wire = new Wire(world.nodes, recorder)
  const { issuer } = world
  const clients = makeClients({ wire, scene, issuer, seed, fault: fault.name })
  const load = newLoad({ fault, world, clients, seed, recorder })
  for (let next: Amount | undefined = amount; ; ) {
    await underLoad(load, next)
    const violations = await violationsIn(load)
    next = again?.(violations)
    if (next) continue
    const { strikes, evidence, seconds } = load
    return {
      ...tally(recorder.history),
      ...{ fault: fault.name, strikes, evidence, seconds: Math.round(seconds), notes: [], violations },
    }
  }
}

/** Ends the fault, presents everything once more, and runs the checker. */
async function violationsIn({ fault, world, clients, recorder }: Load): Promise<readonly Violation[]> {
  const { progress, history } = recorder
  progress.enter('cleaned up after the fault')
  await fault.finish?.(world)
  progress.enter('waited for every node to serve again')
  const lost = await comeBack(world, clients, recorder)
  progress.enter('presented everything once more')
  await showEverything(clients)
  // Clients connect again if the load continues.
  clients[0]?.wire.close()
  progress.enter('read the final state')
  const truth = await readTruth(world)
  progress.enter('measured the processes of the nodes')
  const resources = await kept(world)
  const logs = world.nodes.flatMap(({ name, log }) => [...unexpectedLines(name, log.lines, fault.logs ?? [])])
  progress.enter('checked')
  return check(history, { ...truth, lost, logs, resources })
}

const LOOKS = 40

/** Returns the limits that processes exceed. Tries repeatedly: closed connections take a moment to disappear. */
async function kept({ nodes }: World): Promise<readonly string[]> {
  for (let look = 1; ; look++) {
    const found = nodes.flatMap((node) =>
      node.pids().flatMap((pid) => {
        const resources = resourcesOf(pid)
        return resources ? overLimits(`process ${pid} of ${node.name}`, resources) : []
      }),
    )
    if (found.length === 0 || look === LOOKS) return found
    await sleep(250)
  }
}

interface Making extends Pick<Client, 'wire' | 'issuer'> {
  readonly scene: Scene
  readonly seed: string
  /** The fault's name. */
  readonly fault: string
}

function makeClients({ scene, seed, fault, ...common }: Making): Client[] {
  const { people, models, asked, next, keys } = scene
  const rules = firstRules(people)
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

/** Waits until every node serves a complete login. Returns a sentence for each that does not or stopped by itself. */
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
  const deadline = performance.now() + HANGS_AFTER_MS
  try {
    while (performance.now() < deadline && !recorder.progress.gaveUp) {
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
