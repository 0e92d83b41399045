/**
 * How long a revocation takes to reach every node: three of them on one PostgreSQL. A token that all three remember is
 * revoked at one; from the acknowledgement on, all three are asked until the last one refuses.
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
/** Revoked during one silence: causing a silence takes seconds. */
const AT_ONCE = 10
/** Otherwise this client would take the CPU that the nodes need. */
const PAUSE_MS = 2
/** Time for a listener to recover, and for the nodes to remember what they were asked. */
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
    run.say('notifications are heard: done')
    const silenced: number[] = []
    while (silenced.length < count) {
      for (const proxy of proxies) proxy.heal()
      const tokens = await newTokens(AT_ONCE, scene, wire)
      await sleep(SETTLE_MS)
      await remember(tokens, wire)
      for (const proxy of proxies) proxy.blackHole()
      silenced.push(...(await Promise.all(tokens.map((token) => reach(token, wire)))))
    }
    run.say('they fall silent: done')
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

/** Only the nodes' listeners go through the proxies. */
async function world(
  scene: Scene,
  run: Run,
): Promise<{ readonly nodes: readonly Service[]; readonly proxies: readonly TcpProxy[] }> {
  const installation = await newInstallation('postgres', scene, run.directory)
  if (!installation.postgres) throw new TypeError('it is on PostgreSQL')
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

/** One token after the other. */
async function each(count: number, scene: Scene, wire: Wire): Promise<readonly number[]> {
  const took: number[] = []
  for (const token of await newTokens(count, scene, wire)) {
    await remember([token], wire)
    took.push(await reach(token, wire))
  }
  return took
}

/** Milliseconds from the acknowledgement to the last node's first refusal. */
async function reach(token: Token, wire: Wire): Promise<number> {
  const [first] = wire.targets
  if (!first) throw new TypeError('there are nodes')
  const { status, body } = await wire.send(first, revoke(token, token))
  if (status !== 200) throw new Error(`a revocation was answered ${status}: ${body}`)
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
      if (status !== 200) throw new Error(`a good token was answered ${status}`)
    }
  }
}

/** The worst has a mark that is a promise: a second. */
function figuresOf(when: string, took: readonly number[]): readonly Figure[] {
  const facts = { what: `revocation reaches all nodes: ${when}`, database: 'postgres' } as const
  const more = { times: took.map((time) => Math.round(time * 10) / 10) }
  return [
    alone({ ...facts, measure: 'p50 in ms', ours: percentile(took, 0.5), more }),
    alone({ ...facts, measure: 'p99 in ms', ours: percentile(took, 0.99) }),
    alone({ ...facts, measure: `worst of ${took.length}, in ms`, ours: Math.max(...took) }, atMost(1_000)),
  ]
}
