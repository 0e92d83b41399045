/** The faults: rows of a table. Each strikes again and again while the load goes on. */

import { command } from './load/operator.ts'
import type { Random } from './load/random.ts'
import type { Recorder } from './load/wire.ts'
import type { Node } from './world/node.ts'
import { ROOT, sleep } from './world/processes.ts'
import { committedTree } from './world/tree.ts'
import type { Layout, World } from './world/world.ts'

export interface Striking {
  readonly world: World
  readonly random: Random
  readonly recorder: Recorder
  /** From 1 on. */
  readonly round: number
}

export interface Fault extends Layout {
  readonly name: string
  readonly says: string
  /** Of load, where what the fault does takes its time to show. */
  readonly leastSeconds?: number
  /** A commit, whose code sets the database up and runs at first. */
  readonly begins?: string
  /** What a node has in its environment besides, by its place from 0 on. */
  readonly environment?: (at: number) => Readonly<Record<string, string>>
  /** One strike, and what heals it: when it returns everything is as it was. */
  readonly strike: (striking: Striking) => Promise<unknown>
  /** Before the last look. */
  readonly finish?: (world: World) => Promise<unknown>
}

/** Without the changes of this migrations: nodes of both releases serve on one database. */
const PREVIOUS = 'a5a988a94c8c844ca14030230e5bf4ebed7aa062'

const TEN_MINUTES_MS = 600_000
const twoNodes = { database: 'postgres', nodes: 2, workers: 1 } as const

export const FAULTS: readonly Fault[] = [
  {
    name: 'worker-killed',
    says: 'kill -9 of a worker process',
    ...{ database: 'postgres', nodes: 1, workers: 2 },
    async strike({ world }) {
      // The oldest: a node whose workers die again and again as soon as they start ends, and that is another story.
      const [worker] = world.nodes[0]?.workers() ?? []
      if (worker !== undefined) process.kill(worker, 'SIGKILL')
      await sleep(1_500)
    },
  },
  {
    name: 'node-killed',
    says: 'kill -9 of a node: of the process that was started, whose workers have to notice',
    ...{ ...twoNodes, workers: 2 },
    async strike({ world, random }) {
      const node = random.pick(world.nodes)
      await node?.kill()
      await sleep(500 + random.below(500))
      await node?.start()
    },
  },
  {
    name: 'postgres-killed',
    says: 'kill -9 of PostgreSQL, and its restart',
    ...twoNodes,
    async strike({ world, random }) {
      await world.servers.primary?.kill()
      await sleep(random.below(800))
      await world.servers.primary?.restart()
      await sleep(1_000)
    },
  },
  {
    name: 'primary-lost',
    says: 'the primary killed, its synchronous standby promoted',
    ...{ database: 'pair', nodes: 2, workers: 1 },
    async strike({ world, random, round }) {
      const { servers, proxies } = world
      if (!servers.standby) return
      await servers.primary?.kill()
      await sleep(random.below(500))
      await servers.standby.promote()
      servers.primary = servers.standby
      await sleep(3_000)
      // The lost one is gone for good. A new standby begins as a copy, for which the server stops, and takes its place.
      servers.standby = await servers.primary.addStandby(world.directory(`standby-${round}`))
      proxies[(round - 1) % 2]?.leadTo(servers.standby.port)
      await sleep(1_500)
    },
  },
  {
    name: 'connection-cut',
    says: 'all connections of a node to the database cut',
    ...twoNodes,
    async strike({ world, random }) {
      random.pick(world.proxies)?.cut()
      await sleep(100 + random.below(300))
    },
  },
  {
    name: 'connection-delayed',
    says: 'each packet between a node and the database 150 ms late',
    ...twoNodes,
    async strike({ world, random }) {
      const proxy = random.pick(world.proxies)
      proxy?.delay(150)
      await sleep(2_000)
      proxy?.heal({ alive: true })
    },
  },
  {
    name: 'connection-black-holed',
    says: 'a node and the database cannot hear each other, and nobody is told',
    // Two holes at least.
    ...{ ...twoNodes, leastSeconds: 12 },
    async strike({ world, random }) {
      const proxy = random.pick(world.proxies)
      proxy?.blackHole()
      await sleep(5_000)
      proxy?.heal()
      await sleep(1_500)
    },
  },
  {
    name: 'disk-full',
    says: 'the disk of SQLite full',
    ...{ database: 'sqlite', nodes: 1, workers: 2 },
    async strike({ world, random }) {
      const pids = world.nodes[0]?.pids() ?? []
      world.disk?.fill(pids)
      await sleep(800 + random.below(400))
      world.disk?.empty(pids)
      await sleep(800)
    },
  },
  {
    name: 'clock-off',
    says: 'the clock of one node ten minutes off, ahead and behind in turn',
    ...twoNodes,
    async strike({ world, round }) {
      const node = world.nodes[1]
      await node?.stop()
      await node?.start(shiftedClock(round % 2 === 1 ? TEN_MINUTES_MS : -TEN_MINUTES_MS))
      await sleep(3_500)
    },
    finish: (world) => restart(world.nodes[1]),
  },
  {
    name: 'rolling-upgrade',
    says: 'nodes replaced one after the other, from the release before this one',
    ...{ ...twoNodes, begins: PREVIOUS },
    async strike({ world }) {
      for (const node of world.nodes) {
        await node.stop()
        node.installation = { ...node.installation, tree: ROOT }
        await node.start()
        // The first that starts brings the database up to date; the other serves on, with the code of before.
        world.installation = { ...world.installation, tree: ROOT }
        await sleep(2_500)
      }
    },
  },
  {
    name: 'keys-rotated',
    says: "root keys and the identity service's key pairs rotated",
    // A node looks for new keys every second.
    ...{ ...twoNodes, leastSeconds: 14 },
    async strike({ world, recorder, round }) {
      const words = ['keys', 'rotate', ...(round % 2 === 0 ? ['--discharger'] : [])]
      await command({ kind: 'rotate-keys', words }, world.ratafia, recorder)
    },
  },
]

/** No fault: what a planted bug needs to show itself is the load. */
export const CALM: Fault = {
  name: 'calm',
  says: 'nothing',
  ...twoNodes,
  strike: () => sleep(200),
}

/** The code a fault begins with, and what is said about it. */
export function beginning({ begins }: Fault, directory: string): { tree: string; note?: string } {
  if (begins === undefined) return { tree: ROOT }
  const tree = committedTree(directory, begins)
  if (tree !== undefined) return { tree, note: `began with the code of ${begins.slice(0, 7)}` }
  return { tree: ROOT, note: `began with this code: this clone has no ${begins.slice(0, 7)}` }
}

async function restart(node: Node | undefined): Promise<void> {
  await node?.stop()
  await node?.start()
}

const shiftedClock = (offset: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${new URL('./world/clock.ts', import.meta.url).href}`,
  FAULTS_CLOCK_OFFSET_MS: String(offset),
})
