/** Measures in rounds that alternate between contenders, so that other work on the machine affects all alike. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf } from './cpu.ts'
import { median } from './statistics.ts'

/** The result of a load. */
export interface Sent {
  readonly requests: number
  readonly seconds: number
  /** Percentiles of the response time, in milliseconds. */
  readonly p50: number
  readonly p99: number
}

export interface Load {
  /** Runs the load. Calls `begin` when it is prepared, before the first request. Throws if a request fails. */
  run(seconds: number, begin: () => Promise<void>): Promise<Sent>
}

export interface Contender {
  readonly name: string
  readonly load: Load
  /** The load to warm up with, if the measured requests work only once; `load` by default. */
  readonly warmUp?: Load
  /** Profiles the contender while `load` runs, if profiles are requested. */
  readonly profile?: ((load: () => Promise<unknown>) => Promise<void>) | undefined
  /** The contender's processes. */
  readonly pids: () => readonly number[]
  /** The processes of its database. */
  readonly databasePids?: (() => readonly number[]) | undefined
  /** Returns how many statements its database has executed so far. */
  readonly statements?: (() => Promise<number>) | undefined
}

/** The figures of one round, or the medians of several. CPU times are in milliseconds per request. */
export interface Round extends Sent {
  readonly rate: number
  readonly cpu: number
  readonly databaseCpu: number
  readonly statements: number
}

export interface Measured {
  readonly name: string
  readonly rounds: readonly Round[]
  readonly median: Round
}

export interface Pace {
  readonly rounds: number
  /** The seconds of each round. */
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** Warms up each contender, and then measures them alternately. */
export async function alternate(
  contenders: readonly Contender[],
  { rounds, seconds, warmUpSeconds }: Pace,
): Promise<readonly Measured[]> {
  for (const { load, warmUp = load } of contenders) await warmUp.run(warmUpSeconds, async () => {})
  const idle = await idleStatements(contenders, Math.min(warmUpSeconds, IDLE_SECONDS))
  const measured = contenders.map((contender) => ({ contender, rounds: [] as Round[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { contender, rounds } of measured) {
      rounds.push(await measureOnce(contender, seconds, idle.get(contender)))
    }
  }
  // Profile after the rounds, because a profiler costs time.
  for (const { load, profile } of contenders) await profile?.(() => load.run(seconds, async () => {}))
  return measured.map(({ contender: { name }, rounds }) => ({ name, rounds, median: medianOf(rounds) }))
}

const IDLE_SECONDS = 5

/** Returns how many statements per second each service sends without requests, for heartbeats and periodic work. */
export async function idleStatements(
  contenders: readonly Contender[],
  seconds: number,
): Promise<ReadonlyMap<Contender, number>> {
  const counting = contenders.flatMap((contender) => (contender.statements ? [contender] : []))
  if (counting.length === 0) return new Map()
  const look = () => Promise.all(counting.map(({ statements }) => statements?.() ?? 0))
  const before = await look()
  await sleep(seconds * 1_000)
  const after = await look()
  return new Map(
    counting.map((contender, at) => [contender, ((after[at] ?? 0) - (before[at] ?? 0)) / seconds]),
  )
}

/** Measures one round without a warm-up. Does not count `idle` statements per second, which aren't for requests. */
export async function measureOnce(contender: Contender, seconds: number, idle = 0): Promise<Round> {
  const look = async () => ({
    statements: (await contender.statements?.()) ?? 0,
    cpu: cpuOf(contender.pids()),
    databaseCpu: contender.databasePids ? cpuOf(contender.databasePids()) : 0,
  })
  let before: Awaited<ReturnType<typeof look>> | undefined
  const sent = await contender.load.run(seconds, async () => {
    before = await look()
  })
  const after = await look()
  if (!before || sent.requests === 0) throw new Error(`${contender.name}: nothing was sent`)
  const began = before
  const each = (of: keyof typeof after) => (after[of] - began[of]) / sent.requests
  return {
    ...sent,
    rate: sent.requests / sent.seconds,
    ...{ cpu: each('cpu'), databaseCpu: each('databaseCpu') },
    statements: Math.max(0, each('statements') - (idle * sent.seconds) / sent.requests),
  }
}

function medianOf(rounds: readonly Round[]): Round {
  const of = (key: keyof Round) => median(rounds.map((round) => round[key]))
  return {
    ...{ requests: of('requests'), seconds: of('seconds'), rate: of('rate'), p50: of('p50'), p99: of('p99') },
    ...{ cpu: of('cpu'), databaseCpu: of('databaseCpu'), statements: of('statements') },
  }
}
