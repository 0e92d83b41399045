/**
 * Measures how long a revocation takes to reach all three nodes on one PostgreSQL. A token that all three have in their
 * cache is revoked at one. From the acknowledgement, the work asks all three until the last one refuses.
 */
import { logIn, revoke, type Token, whoami } from '../../faults/load/log-in.ts'
import { makeScene, type Scene } from '../../faults/load/scene.ts'
import { newRecorder, type Target, Wire } from '../../faults/load/wire.ts'
import { sleep } from '../../faults/world/processes.ts'
import { TcpProxy } from '../../faults/world/proxy.ts'
import { present, random } from '../data/devices.ts'
import { type Refusal, refusalsOf } from '../harness/refusals.ts'
import { percentile } from '../harness/statistics.ts'
import { alone, atMost, type Figure } from '../report/figure.ts'
import { newInstallation } from '../services/installation.ts'
import { type Service, startRatafia } from '../services/ratafia.ts'
import type { Run, Work } from './work.ts'

const NODES = 3
/** The tokens revoked at once after notifications stop, because stopping them takes seconds. */
const AT_ONCE = 10
/** The pause between a client's requests, which would otherwise use the CPU that the nodes need. */
const PAUSE_MS = 2
/** The time for a listener to recover, and for the nodes to fill their caches. */
const SETTLE_MS = 1_500

export const revocations: Work = {
  name: 'revocation',
  says: 'how long a revocation takes to reach every node, with notifications and without',
  async measure(run) {
    const count = run.quick ? 20 : 500
    const scene = await makeScene({ people: 8, models: 2, keys: 2 })
    const { nodes, proxies } = await world(scene, run)
    const wire = new Wire(nodes.map(targetOf), newRecorder())
    run.after(async () => wire.close())

    await sleep(SETTLE_MS)
    const heard = await each(count, scene, wire)
    run.say('with notifications: done')
    const silenced: number[] = []
    while (silenced.length < count) {
      for (const proxy of proxies) proxy.heal()
      const tokens = await newTokens(AT_ONCE, scene, wire)
      await sleep(SETTLE_MS)
      await remember(tokens, wire)
      for (const proxy of proxies) proxy.blackHole()
      silenced.push(...(await Promise.all(tokens.map((token) => reach(token, wire)))))
    }
    run.say('as notifications stop: done')
    const deaf = await each(count, scene, wire)
    for (const proxy of proxies) proxy.heal()
    const refusals: Refusal[] = []
    for (const node of nodes) refusals.push(...(await refusalsOf(node, scene)))
    return {
      figures: [
        ...figuresOf('notifications arrive', heard),
        ...figuresOf('notifications stop just before', silenced),
        ...figuresOf('after notifications stopped', deaf),
      ],
      refusals,
    }
  },
}

/** Starts the nodes and the proxies, which only the nodes' listeners connect through. */
async function world(
  scene: Scene,
  run: Run,
): Promise<{ readonly nodes: readonly Service[]; readonly proxies: readonly TcpProxy[] }> {
  const installation = await newInstallation('postgres', scene, run.directory)
  if (!installation.postgres) throw new TypeError('the installation must use PostgreSQL')
  const { server, database } = installation.postgres
  const [nodes, proxies] = [[] as Service[], [] as TcpProxy[]]
  for (let made = 0; made < NODES; made++) {
    const proxy = await TcpProxy.start(server.port)
    run.after(() => proxy.close())
    proxies.push(proxy)
    const environment = { RATAFIA_DATABASE_LISTEN_URL: server.url(database, proxy.port) }
    const node = await startRatafia(installation, { environment })
    run.after(node.stop)
    nodes.push(node)
  }
  return { nodes, proxies }
}

const targetOf = ({ port }: Service, at: number): Target => ({ name: `node ${at + 1}`, port })

/** Measures one token at a time. */
async function each(count: number, scene: Scene, wire: Wire): Promise<readonly number[]> {
  const took: number[] = []
  for (const token of await newTokens(count, scene, wire)) {
    await remember([token], wire)
    took.push(await reach(token, wire))
  }
  return took
}

/** Revokes a token, and returns the milliseconds from the acknowledgement to the last node's first refusal. */
async function reach(token: Token, wire: Wire): Promise<number> {
  const [first] = wire.targets
  if (!first) throw new TypeError('a node is required')
  const { status, body } = await wire.send(first, revoke(token, token))
  if (status !== 200) throw new Error(`a revocation got ${status}: ${body}`)
  const acknowledged = performance.now()
  const refusals = wire.targets.map(async (node) => {
    while ((await wire.send(node, whoami(token))).status === 200) {
      wire.recorder.history.length = 0
      await sleep(PAUSE_MS)
    }
    return performance.now() - acknowledged
  })
  return Math.max(...(await Promise.all(refusals)))
}

async function newTokens(count: number, { people }: Scene, wire: Wire): Promise<readonly Token[]> {
  const made: Token[] = []
  for (let at = 0; at < count; at++) {
    made.push(present(await logIn(present(people[at % people.length]), wire, random), wire))
  }
  return made
}

async function remember(tokens: readonly Token[], wire: Wire): Promise<void> {
  for (const token of tokens) {
    for (const node of wire.targets) {
      const { status } = await wire.send(node, whoami(token))
      if (status !== 200) throw new Error(`a valid token got ${status}`)
    }
  }
}

/** Returns the figures. The target of the worst one, a second, is a promise to users. */
function figuresOf(when: string, took: readonly number[]): readonly Figure[] {
  const facts = { what: `revocation reaches all nodes: ${when}`, database: 'postgres' } as const
  const more = { times: took.map((time) => Math.round(time * 10) / 10) }
  return [
    alone({ ...facts, measure: 'p50 in ms', ours: percentile(took, 0.5), more }),
    alone({ ...facts, measure: 'p99 in ms', ours: percentile(took, 0.99) }),
    alone({ ...facts, measure: `worst of ${took.length}, in ms`, ours: Math.max(...took) }, atMost(1_000)),
  ]
}
