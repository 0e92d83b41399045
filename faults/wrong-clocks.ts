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

/** How far the clocks of the nodes are off in each strike: those of two nodes, then those of all. */
const AT_START = [
  [0, 40 * DAY_MS, -2 * HOUR_MS],
  [2 * HOUR_MS, -40 * DAY_MS, 2 * HOUR_MS],
] as const

/** How far the clocks of running nodes are set off in each strike. */
const STEPS = [
  [0, 2 * HOUR_MS, -40 * DAY_MS],
  [0, 40 * DAY_MS, -2 * HOUR_MS],
] as const

/** The number of strikes after which every row above was used. */
export const TURNS = 2

type Shifted = readonly { readonly node: Node; readonly aheadMs: number }[]

/** Returns the nodes whose clocks a strike makes wrong. */
function shiftedIn(rows: readonly (readonly number[])[], { world, round }: Striking): Shifted {
  const row = rows[(round - 1) % rows.length] ?? []
  return world.nodes.flatMap((node, at) => (row[at] ? { node, aheadMs: row[at] } : []))
}

const each = (shifted: Shifted, work: (one: Shifted[number]) => Promise<unknown>): Promise<unknown> =>
  Promise.all(shifted.map(work))

/** Starts nodes with wrong clocks. They must not serve or do any harm. */
export async function startWithWrongClocks(striking: Striking): Promise<Evidence> {
  const shifted = shiftedIn(AT_START, striking)
  await each(shifted, async ({ node, aheadMs }) => {
    await node.stop()
    await node.start(shiftedClock(aheadMs))
  })
  await sleep(WORK_MS)
  const off = shifted.filter(({ node, aheadMs }) => isAheadBy(aheadMs, node))
  const statuses = await Promise.all(shifted.map(({ node }) => readiness(node)))
  await each(shifted, async ({ node }) => {
    await node.stop()
    await node.start()
  })
  return {
    'nodes started ahead': off.filter(({ aheadMs }) => aheadMs > 0).length,
    'nodes started behind': off.filter(({ aheadMs }) => aheadMs < 0).length,
    'of them not serving': statuses.filter((status) => status === 503).length,
  }
}

/** Sets the clocks of running nodes wrong, then right again. They must stop serving, and serve again by themselves. */
export async function setClock(striking: Striking): Promise<Evidence> {
  const shifted = shiftedIn(STEPS, striking)
  await each(shifted, async ({ node, aheadMs }) => {
    await node.stop()
    await node.start(shiftedClock(0, aheadMs))
  })
  const setBy = async (aheadMs: number, node: Node) => {
    for (const pid of node.pids()) process.kill(pid, 'SIGUSR2')
    await until(`the clock of ${node.name} to be set`, () => isAheadBy(aheadMs, node))
  }
  await each(shifted, async ({ node, aheadMs }) => {
    await setBy(aheadMs, node)
    await until(`${node.name} to stop serving`, async () => (await readiness(node)) === 503)
  })
  await sleep(WORK_MS)
  await each(shifted, async ({ node }) => {
    await setBy(0, node)
    await until(`${node.name} to serve again`, async () => (await readiness(node)) === 200)
  })
  return { 'clocks set and set right again': shifted.length }
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
