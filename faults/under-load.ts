/** The load of one run: clients, operators and strikes at the same time. */
import type { Fault, Pace } from './faults.ts'
import type { Client } from './load/client.ts'
import { run as runClient } from './load/operations.ts'
import { DUTIES, type Duty, type Operator, operate } from './load/operator.ts'
import { seeded } from './load/random.ts'
import { RULE_DUTIES } from './load/rule-duties.ts'
import type { Recorder } from './load/wire.ts'
import { sleep } from './world/processes.ts'
import type { Layout, World } from './world/world.ts'

/** How long the load runs at least. It continues until the fault has struck often enough. */
export interface Amount {
  readonly seconds?: number
  /** The number of the clients' and operators' operations. */
  readonly operations?: number
  /** The number of each operator's turns, with or without a command to run. */
  readonly turns?: number
}

/** The pause between two strikes. */
const CALM_MS = 700
/** A command occupies a core for a quarter of a second. */
const FULL_PACE: Pace = { client: 0, operator: 700, rules: 1_200 }

/** The load on a world, which can continue after a check. */
export interface Load {
  readonly fault: Omit<Fault, keyof Layout>
  readonly world: World
  readonly clients: readonly Client[]
  readonly operators: readonly Operator[]
  readonly seed: string
  readonly recorder: Recorder
  strikes: number
  readonly evidence: Record<string, number>
  /** How long it ran. */
  seconds: number
}

export function newLoad(parts: Pick<Load, 'fault' | 'world' | 'clients' | 'seed' | 'recorder'>): Load {
  const { fault, world, clients, seed, recorder } = parts
  const { pace = FULL_PACE } = fault
  const operator = (name: string, duties: readonly Duty[], pauseMs: number): Operator => ({
    ...{ clients, recorder, ratafia: world.ratafia, duties, pauseMs, turns: 0 },
    randomOf: (turn) => seeded(seed, `${fault.name} ${name} turn ${turn}`),
  })
  const operators = [operator('operator', DUTIES, pace.operator), operator('rules', RULE_DUTIES, pace.rules)]
  return { ...parts, operators, strikes: 0, evidence: {}, seconds: 0 }
}

/** Keeps a world under load, and strikes repeatedly, until it is enough. */
export async function underLoad(load: Load, amount: Amount): Promise<void> {
  const { fault, world, clients, operators, seed, recorder, evidence } = load
  const { progress, history } = recorder
  const began = performance.now()
  const before = {
    operations: history.length,
    strikes: load.strikes,
    turns: operators.map(({ turns }) => turns),
  }
  const isEnough = () =>
    performance.now() - began >= (amount.seconds ?? 0) * 1_000 &&
    history.length - before.operations >= (amount.operations ?? 0) &&
    operators.every(({ turns }, at) => turns - (before.turns[at] ?? 0) >= (amount.turns ?? 0)) &&
    load.strikes - before.strikes >= (fault.leastStrikes ?? 1)
  let struck = false
  const strike = async () => {
    try {
      while (!progress.gaveUp && !isEnough()) {
        const round = load.strikes + 1
        progress.enter(`was under load, between strikes ${load.strikes} and ${round}`)
        await sleep(CALM_MS)
        const random = seeded(seed, `${fault.name} strike ${round}`)
        progress.enter(`made strike ${round}`)
        const shown = await fault.strike({ world, clients, random, recorder, round })
        for (const [name, times] of Object.entries(shown)) evidence[name] = (evidence[name] ?? 0) + times
        load.strikes = round
      }
      progress.enter('waited for clients and operators to finish')
    } finally {
      struck = true
    }
  }
  const over = () => struck || progress.gaveUp
  const { pace = FULL_PACE } = fault
  await Promise.all([
    strike(),
    ...clients.map((client) => runClient(client, over, pace.client)),
    ...operators.map((operator) => operate(operator, over)),
  ])
  load.seconds += (performance.now() - began) / 1_000
}
