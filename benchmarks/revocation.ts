/**
 * How long a revocation takes to reach every node: three nodes, each in its own process, on one PostgreSQL that writes to
 * disk. `node benchmarks/revocation.ts [COUNT]`, 1,000 by default. A token that all three remember is revoked at one of
 * them; from the acknowledgement on, all three are polled. Prints when the last node's first refusal reached the client.
 * Asserts nothing.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { logIn, revoke, type Token, whoami } from '../faults/load/log-in.ts'
import { seeded } from '../faults/load/random.ts'
import { makeScene } from '../faults/load/scene.ts'
import { newRecorder, Wire } from '../faults/load/wire.ts'
import { Node } from '../faults/world/node.ts'
import { Postgres } from '../faults/world/postgres.ts'
import { sleep } from '../faults/world/processes.ts'
import { TcpProxy } from '../faults/world/proxy.ts'
import { thisRelease } from '../faults/world/release.ts'
import { setUp } from '../faults/world/set-up.ts'
import { freePort } from '../tools/test/postgres.ts'

const COUNT = Number(process.argv[2] ?? 1_000)
/** Tokens revoked during one silence: causing a silence takes seconds. */
const AT_ONCE = 10
const PAUSE_MS = 2
/** Time for a listener to recover, and for the nodes to remember what they were asked. */
const SETTLE_MS = 1_500

const directory = mkdtempSync(join(tmpdir(), 'ratafia-revocation-'))
// The server's own account goes through it.
chmodSync(directory, 0o755)
const postgres = await Postgres.start(join(directory, 'postgres'))
// Only the nodes' listeners go through it.
const proxies = await Promise.all(Array.from({ length: 3 }, () => TcpProxy.start(postgres.port)))
const environment = {
  RATAFIA_DATA_DIR: directory,
  RATAFIA_DATABASE_URL: postgres.url('postgres'),
  RATAFIA_SECRET_KEY: randomBytes(32).toString('base64'),
  RATAFIA_BASE_URL: 'http://ratafia.test',
  RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
  RATAFIA_LOG_LEVEL: 'warn',
  RATAFIA_WORKERS: '1',
}
const nodes: Node[] = []
const random = seeded('revocation', 'benchmark')
const scene = await makeScene({ people: 8, models: 0, keys: 0 })
const recorder = newRecorder()
let wire: Wire | undefined

/** Milliseconds from the acknowledgement to the last node's first refusal. */
async function measure(token: Token, clients: Wire): Promise<number> {
  const [first] = nodes
  if (!first || (await clients.send(first, revoke(token, token))).status !== 200) {
    throw new Error(`not revoked: ${JSON.stringify(recorder.history.at(-1))}`)
  }
  const acknowledged = performance.now()
  const refusals = nodes.map(async (node) => {
    while ((await clients.send(node, whoami(token))).status === 200) {
      recorder.history.length = 0
      // Otherwise this client would take the CPU that the nodes need.
      await sleep(PAUSE_MS)
    }
    return performance.now() - acknowledged
  })
  return Math.max(...(await Promise.all(refusals)))
}

async function newTokens(count: number, clients: Wire): Promise<readonly Token[]> {
  const made = scene.people.map(async (person, at) => {
    const own: Token[] = []
    while (own.length < Math.ceil((count - at) / scene.people.length)) {
      const token = await logIn(person, clients, random)
      if (!token) throw new Error(`no login: ${JSON.stringify(recorder.history.at(-1))}`)
      own.push(token)
    }
    return own
  })
  return (await Promise.all(made)).flat()
}

async function remember(tokens: readonly Token[], clients: Wire): Promise<void> {
  for (const token of tokens) {
    for (const node of nodes) {
      const { status } = await clients.send(node, whoami(token))
      if (status !== 200) throw new Error(`not accepted: ${status}`)
    }
  }
}

function print(name: string, took: readonly number[]): void {
  const sorted = [...took].sort((a, b) => a - b)
  const at = (share: number) =>
    `${(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1).padStart(7)} ms`
  const line = `p50 ${at(0.5)}   p99 ${at(0.99)}   worst ${at(1)}   of ${sorted.length}`
  process.stdout.write(`${name.padEnd(46)} ${line}\n`)
}

try {
  await setUp(scene, { ...thisRelease(), environment })
  for (const [at, proxy] of proxies.entries()) {
    const listen = { RATAFIA_DATABASE_LISTEN_URL: postgres.url('postgres', proxy.port) }
    const installation = { ...thisRelease(), environment: { ...environment, ...listen } }
    const node = new Node(`node ${at + 1}`, await freePort(), installation)
    nodes.push(node)
    await node.start()
  }
  const clients = new Wire(nodes, recorder)
  wire = clients
  process.stdout.write(
    `${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, ${process.version}\n`,
  )

  await sleep(SETTLE_MS)
  const heard: number[] = []
  for (const token of await newTokens(COUNT, clients)) {
    await remember([token], clients)
    heard.push(await measure(token, clients))
  }
  print('notifications are heard', heard)

  const silenced: number[] = []
  while (silenced.length < COUNT) {
    for (const proxy of proxies) proxy.heal()
    const tokens = await newTokens(AT_ONCE, clients)
    await sleep(SETTLE_MS)
    await remember(tokens, clients)
    for (const proxy of proxies) proxy.blackHole()
    silenced.push(...(await Promise.all(tokens.map((token) => measure(token, clients)))))
  }
  print('they fall silent just before the revocation', silenced)

  const deaf: number[] = []
  for (const token of await newTokens(COUNT, clients)) {
    await remember([token], clients)
    deaf.push(await measure(token, clients))
  }
  print('they have been silent: the database is asked', deaf)
} finally {
  wire?.close()
  for (const node of nodes) await node.stop()
  for (const proxy of proxies) await proxy.close()
  await postgres.stop()
  rmSync(directory, { recursive: true })
}
