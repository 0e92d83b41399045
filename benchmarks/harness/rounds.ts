/** Rounds that alternate between contenders, so that whatever else the machine does hits all of them alike. */
import { cpuOf } from './cpu.ts'
import { median } from './statistics.ts'

/** What a load has done. */
export interface Sent {
  readonly requests: number
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export interface Load {
  /** Calls `begin` when everything is prepared, just before the first request. Throws if any request failed. */
  run(seconds: number, begin: () => Promise<void>): Promise<Sent>
}

export interface Contender {
  readonly name: string
  readonly load: Load
  /** Where the measured requests work only once; default: `load`. */
  readonly warmUp?: Load
  /** Profiles it while `load` runs, if profiles are wanted. */
  readonly profile?: ((load: () => Promise<unknown>) => Promise<void>) | undefined
  /** Its processes. */
  readonly pids: () => readonly number[]
  /** Those of its database. */
  readonly databasePids?: (() => readonly number[]) | undefined
  /** How many statements its database has carried out. */
  readonly statements?: (() => Promise<number>) | undefined
}

/** Of one round, or the medians of several. CPU times are milliseconds for each request. */
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
  /** Of each round. */
  readonly seconds: number
  readonly warmUpSeconds: number
}

/** Warms each contender up and then measures them in turn. */
export async function alternate(
  contenders: readonly Contender[],
  { rounds, seconds, warmUpSeconds }: Pace,
): Promise<readonly Measured[]> {
  for (const { load, warmUp = load } of contenders) await warmUp.run(warmUpSeconds, async () => {})
  const measured = contenders.map((contender) => ({ contender, rounds: [] as Round[] }))
  for (let round = 0; round < rounds; round++) {
    for (const each of measured) each.rounds.push(await measureOnce(each.contender, seconds))
  }
  // After the rounds: a profiler takes time of its own.
  for (const { load, profile } of contenders) await profile?.(() => load.run(seconds, async () => {}))
  return measured.map(({ contender: { name }, rounds }) => ({ name, rounds, median: medianOf(rounds) }))
}

/** One round, without warming up. */
export async function measureOnce(contender: Contender, seconds: number): Promise<Round> {
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
    ...{ cpu: each('cpu'), databaseCpu: each('databaseCpu'), statements: each('statements') },
  }
}

export function medianOf(rounds: readonly Round[]): Round {
  const of = (key: keyof Round) => median(rounds.map((round) => round[key]))
  return {
    ...{ requests: of('requests'), seconds: of('seconds'), rate: of('rate'), p50: of('p50'), p99: of('p99') },
    ...{ cpu: of('cpu'), databaseCpu: of('databaseCpu'), statements: of('statements') },
  }
}
