/** Strikes at nodes whose clocks are wrong from the start, or are set while they run. The database's clock is right. */
import type { Evidence, Striking } from './striking.ts'
import type { Node } from './world/node.ts'
import { sleep } from './world/processes.ts'
import { until } from './world/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Longer than a node waits before it looks for periodic work that no other node does. */
const WORK_MS = 7_000

/** A node reports within seconds whether it is ready. Without an answer, it is asked again. */
const READY_WITHIN_MS = 20_000

/** Clocks that are wrong when a node starts. */
const AT_START = [
  { aheadMs: 40 * DAY_MS, on: 'one' },
  { aheadMs: 2 * HOUR_MS, on: 'all' },
  { aheadMs: -40 * DAY_MS, on: 'all' },
  { aheadMs: -2 * HOUR_MS, on: 'one' },
] as const

/** How far the clock of a running node is set off, in steps. */
const STEPS = [2 * HOUR_MS, -2 * HOUR_MS, 40 * DAY_MS, -40 * DAY_MS] as const

/** The number of strikes after which every row above was used. */
export const TURNS = 4

/** Starts one node or all of them with a wrong clock. They must not serve or do any harm. */
export async function startWithWrongClocks({ world, round }: Striking): Promise<Evidence> {
  const { aheadMs, on } = AT_START[(round - 1) % AT_START.length] ?? AT_START[0]
  const nodes = on === 'one' ? world.nodes.slice(1, 2) : world.nodes
  await Promise.all(nodes.map((node) => node.stop()))
  await Promise.all(nodes.map((node) => node.start(shiftedClock(aheadMs))))
  await sleep(WORK_MS)
  const off = nodes.filter((node) => isAheadBy(aheadMs, node)).length
  const refusing = (await Promise.all(nodes.map(readiness))).filter((status) => status === 503).length
  await Promise.all(nodes.map((node) => node.stop()))
  await Promise.all(nodes.map((node) => node.start()))
  const when = aheadMs > 0 ? 'ahead' : 'behind'
  return { [`nodes started ${when}`]: off, 'of them not serving': refusing }
}

/** Sets a running node's clock wrong, then right again. The node must stop serving, and serve again by itself. */
export async function setClock({ world, round }: Striking): Promise<Evidence> {
  const node = world.nodes[1]
  const step = STEPS[(round - 1) % STEPS.length] ?? STEPS[0]
  await node?.stop()
  await node?.start(shiftedClock(0, step))
  if (!node) return { 'clocks set and set right again': 0 }
  const setBy = async (aheadMs: number) => {
    for (const pid of node.pids()) process.kill(pid, 'SIGUSR2')
    await until(`the clock of ${node.name} to be set`, () => isAheadBy(aheadMs, node))
  }
  await setBy(step)
  await until(`${node.name} to stop serving`, async () => (await readiness(node)) === 503)
  await sleep(WORK_MS)
  await setBy(0)
  await until(`${node.name} to serve again`, async () => (await readiness(node)) === 200)
  return { 'clocks set and set right again': 1 }
}

/** Returns whether the node's clock is shifted as expected. Allows for the time that the report took. */
const isAheadBy = (aheadMs: number, { clockOffset }: Node): boolean =>
  Math.abs(clockOffset - aheadMs) < HOUR_MS

/** Returns the environment of a node whose clock is off from the start; SIGUSR2 adds `step`, or removes it again. */
export const shiftedClock = (offset: number, step = 0): Record<string, string> => ({
  NODE_OPTIONS: `--import ${new URL('./world/clock.ts', import.meta.url).href}`,
  FAULTS_CLOCK_OFFSET_MS: String(offset),
  FAULTS_CLOCK_STEP_MS: String(step),
})

/** Returns the status of the node's readiness; 0 if there is no answer. */
async function readiness({ port }: Node): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      signal: AbortSignal.timeout(READY_WITHIN_MS),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return 0
  }
}
