/** The table of faults. Each fault strikes repeatedly while the load runs. */

import pg from 'pg'
import { ADMINISTERED_ROUNDS, administer, compareBackup } from './administered.ts'
import { blackHoleIssuer } from './black-hole-issuer.ts'
import { REVOKED_BY_FAULTS } from './check/audited.ts'
import { type Client, watch } from './load/client.ts'
import { exchangingIdToken, newIdToken } from './load/job.ts'
import { logIn, revoke, type Token, whoami } from './load/log-in.ts'
import { command } from './load/operator.ts'
import { type Recorder, type Target, Wire } from './load/wire.ts'
import type { Evidence, Striking } from './striking.ts'
import type { Node } from './world/node.ts'
import type { Postgres } from './world/postgres.ts'
import { sleep } from './world/processes.ts'
import { NEXT_MIGRATION, thisRelease } from './world/release.ts'
import { listensOn } from './world/resources.ts'
import { until } from './world/until.ts'
import type { Layout, World } from './world/world.ts'
import { setClock, shiftedClock, startWithWrongClocks, TURNS } from './wrong-clocks.ts'

/** Pauses in milliseconds: between a client's operations, and between the operator's commands. */
export interface Pace {
  readonly client: number
  readonly operator: number
  /** The pause between the commands about CI rules, which run in parallel. */
  readonly rules: number
}

export interface Fault extends Layout {
  readonly name: string
  readonly says: string
  /** How long the load runs at least, for faults that take time to show. */
  readonly leastSeconds?: number
  /** The minimum number of strikes, however long they take. Default: one. */
  readonly leastStrikes?: number
  /** How fast the load is. Default: as fast as it is answered. */
  readonly pace?: Pace
  /** Additional environment variables of a node, by its index. */
  readonly environment?: (at: number) => Readonly<Record<string, string>>
  /**
   * Strikes once and repairs the damage, so that everything is as before when it returns. Returns counters that show
   * that it struck; a run in which one of them stays 0 has tested nothing.
   */
  readonly strike: (striking: Striking) => Promise<Evidence>
  /** Messages of errors that nodes log because of the fault, and types of errors in their warnings. */
  readonly logs?: readonly string[]
  /** Runs before the final check. */
  readonly finish?: (world: World) => Promise<unknown>
}

const FIND_NEXT = `select name from schema_migration where name = '${NEXT_MIGRATION}'`
const COUNT_PARTITIONS = `select count(*) from pg_inherits where inhparent = to_regclass('device')`

/** Less than the five minutes that make a node stop serving. */
const CLOCK_OFF_MS = 240_000
/** Nodes leave an old primary within seconds. A node that stays this long believes it. */
const BELIEVED_MS = 60_000
/** The pace during faults that take so long that they still make several times the operations that a fault requires. */
const SLOW: Pace = { client: 100, operator: 1_500, rules: 2_500 }
const threeNodes = { database: 'postgres', nodes: 3, workers: 1 } as const

/** The longest are first, so that the lanes end at about the same time. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'administered',
    says: 'imports and secret key rotations are killed, both operators lose their role at once, backups are restored',
    ...{ ...threeNodes, nodes: 2, leastStrikes: ADMINISTERED_ROUNDS, pace: SLOW },
    strike: administer,
    finish: compareBackup,
  },
  {
    name: 'rolling-upgrade',
    says: 'nodes are upgraded one by one to the next release, then downgraded to this one, and so on',
    ...{ ...threeNodes, upgrades: true, leastStrikes: 2, pace: SLOW },
    async strike({ world, clients, round }) {
      const { next, nodes } = world
      const upgrades = round % 2 === 1
      const release = upgrades ? next : thisRelease()
      if (!release) return { 'nodes upgraded': 0 }
      let exchanged = 0
      for (const node of nodes) {
        await node.stop()
        node.installation = { ...node.installation, ...release }
        await node.start()
        // The first node of the next release migrates the database; the others keep serving with this release's code.
        world.installation = { ...world.installation, ...release }
        await sleep(1_500)
        exchanged += await exchangeAtEach(world, clients)
      }
      const migrated = await world.statement(FIND_NEXT)
      return {
        [upgrades ? 'nodes upgraded' : 'nodes downgraded']: nodes.length,
        'times on the schema of the next release': migrated.length,
        'ID tokens exchanged after each': exchanged,
      }
    },
  },
  {
    name: 'clock-wrong-at-start',
    says: 'two or all nodes start with clocks that are hours and days off, ahead and behind',
    ...{ ...threeNodes, leastStrikes: TURNS, pace: SLOW },
    strike: startWithWrongClocks,
  },
  {
    name: 'clock-set',
    says: 'the clocks of two running nodes are set ahead and behind by hours and days, then right again',
    ...{ ...threeNodes, leastStrikes: TURNS, pace: SLOW },
    strike: setClock,
    finish: ({ nodes }) => Promise.all(nodes.slice(1).map(restart)),
  },
  {
    name: 'worker-killed',
    says: 'kill -9 of a worker process',
    ...{ database: 'postgres', nodes: 1, workers: 2, logs: ['a worker died and will be replaced'] },
    async strike({ world }) {
      // Kill the one that has listened longest: a node whose workers keep dying at their start exits, which is a
      // different case.
      const [node] = world.nodes
      const before = node?.workers() ?? []
      const [worker] = before
      if (!node || worker === undefined) return { 'workers killed': 0 }
      process.kill(worker, 'SIGKILL')
      await until('a killed worker to be replaced by one that listens', () => {
        const now = node.workers().filter((pid) => listensOn(node.port, pid))
        // The checker reports a node that stopped.
        return !node.running || (!now.includes(worker) && now.length === before.length)
      })
      // Let the new worker serve.
      await sleep(1_000)
      return { 'workers killed': 1 }
    },
  },
  {
    name: 'node-killed',
    says: "kill -9 of a node's main process, whose workers have to notice",
    ...{ ...threeNodes, workers: 2 },
    async strike({ world, random }) {
      const node = random.pick(world.nodes)
      if (!node?.running) return { 'nodes killed': 0 }
      const workers = node.workers()
      await node.kill()
      // Until then, the port is taken.
      await until(
        'the workers of a killed node to notice',
        () => !workers.some((pid) => listensOn(node.port, pid)),
      )
      await sleep(random.below(500))
      await node.start()
      return { 'nodes killed': 1 }
    },
  },
  {
    name: 'postgres-killed',
    says: 'kill -9 of PostgreSQL, and a restart',
    ...threeNodes,
    async strike({ world, random }) {
      const killed = await world.servers.primary?.kill()
      await sleep(random.below(800))
      await world.servers.primary?.restart()
      await sleep(1_000)
      return { 'servers killed': Number(killed) }
    },
  },
  {
    name: 'partitions-killed',
    says: 'kill -9 of PostgreSQL with the device tables in 32 partitions, and a restart',
    ...{ ...threeNodes, nodes: 2, partitions: 32 },
    async strike({ world, random }) {
      const [row] = await world.statement(COUNT_PARTITIONS)
      const killed = await world.servers.primary?.kill()
      await sleep(random.below(800))
      await world.servers.primary?.restart()
      await sleep(1_000)
      return { 'servers killed': Number(killed), 'partitions of device': Number(row?.['count']) }
    },
  },
  {
    name: 'primary-lost',
    says: 'the primary is killed, and its synchronous standby is promoted',
    // Once with a standby that is behind, and once with one that is not.
    ...{ database: 'pair', nodes: 3, workers: 1, leastStrikes: 2 },
    async strike({ world, random, round }) {
      const { servers } = world
      const { primary, standby } = servers
      if (!primary || !standby) return { 'standbys promoted': 0 }
      const state = await primary.syncState()
      // The standby no longer receives commits, so none may be acknowledged from here on.
      const behind = round % 2 === 1
      if (behind) {
        await standby.stopFollowing()
        await sleep(1_000)
      }
      const killed = await primary.kill()
      await sleep(random.below(500))
      const promoted = await standby.promote()
      await primary.bury()
      servers.primary = standby
      await sleep(3_000)
      await replaceLost(world, round)
      await sleep(1_500)
      return {
        'primaries killed': Number(killed),
        'synchronous standbys promoted': Number(promoted && state === 'sync'),
        ...(behind && { 'of them behind': 1 }),
      }
    },
  },
  {
    name: 'primary-cut-off',
    says: 'the synchronous standby is promoted while the nodes still reach the old primary, which does not notice',
    ...{ database: 'pair', nodes: 3, workers: 1 },
    // Commits that hang must not keep a node from reading, because this fault tests what it reads.
    environment: () => ({ RATAFIA_DATABASE_POOL: '40' }),
    async strike({ world, clients, recorder, round }) {
      const { servers } = world
      const { primary: old, standby } = servers
      if (!old || !standby) return { 'standbys promoted': 0 }
      // Their sessions will be revoked.
      await until(
        'three clients with a token',
        () => clients.filter(({ tokens }) => tokens.length > 0).length >= 3,
      )
      const state = await old.syncState()
      const promoted = await standby.promote()
      servers.primary = standby
      const revoked = await revokeAtDatabase(clients, world, recorder)
      await sleep(5_000)
      const left = await hasNoClients(old)
      await old.kill()
      await old.bury()
      await replaceLost(world, round)
      await sleep(1_500)
      return {
        'synchronous standbys promoted while the primary ran': Number(promoted && state === 'sync'),
        'sessions revoked on the new primary': revoked,
        'old primaries that all nodes left': Number(left),
      }
    },
  },
  {
    name: 'connection-cut',
    says: 'all connections of a node to the database are cut',
    ...threeNodes,
    async strike({ world, random }) {
      const cut = random.pick(world.proxies)?.cut() ?? 0
      await sleep(100 + random.below(300))
      return { 'connections cut': cut }
    },
  },
  {
    name: 'connection-delayed',
    says: "packets between a node and the database are 150 ms late, or answers by their connection's delay",
    ...{ ...threeNodes, leastStrikes: 2 },
    async strike({ world, clients, random, round }) {
      const at = random.below(world.proxies.length)
      const proxy = world.proxies[at]
      const before = proxy?.delayed ?? 0
      if (round % 2 === 1) proxy?.delay(150)
      else proxy?.delayAnswers(400)
      const late = world.nodes[at]
      if (late) await Promise.all(clients.map((client) => revokeWhileRead(client, late)))
      await sleep(2_000)
      proxy?.heal({ alive: true })
      return { 'packets delayed': (proxy?.delayed ?? 0) - before }
    },
  },
  {
    name: 'connection-black-holed',
    says: 'nothing passes between a node and the database, without an error',
    ...{ ...threeNodes, leastStrikes: 2 },
    async strike({ world, clients, random }) {
      const at = random.below(world.proxies.length)
      const proxy = world.proxies[at]
      const before = proxy?.held ?? 0
      const [cutOff, other] = [world.nodes[at], world.nodes.find((_, one) => one !== at)]
      const cached = cutOff ? await takeTokens(clients, cutOff) : []
      proxy?.blackHole()
      await Promise.all([
        sleep(5_000),
        ...cached.map(([client, token]) => other && revokeAt(other, client, token)),
      ])
      proxy?.heal()
      await sleep(1_500)
      return { 'packets lost': (proxy?.held ?? 0) - before }
    },
  },
  {
    name: 'disk-full',
    says: 'the disk of SQLite is full',
    ...{ database: 'sqlite', nodes: 1, workers: 2 },
    async strike({ world, clients, random, recorder: { history } }) {
      const pids = world.nodes[0]?.pids() ?? []
      const before = history.length
      world.disk?.fill(pids)
      await Promise.all([sleep(800 + random.below(400)), ...clients.map(revokeInVain)])
      const refused = history.slice(before).filter(({ status }) => status === 503).length
      world.disk?.empty(pids)
      await sleep(800)
      return { 'requests refused meanwhile': refused }
    },
  },
  {
    name: 'clock-off',
    says: 'the clock of one node is four minutes off, alternately ahead and behind',
    ...{ ...threeNodes, leastStrikes: 2 },
    async strike({ world, round }) {
      const node = world.nodes[1]
      await node?.stop()
      const ahead = round % 2 === 1
      await node?.start(shiftedClock(ahead ? CLOCK_OFF_MS : -CLOCK_OFF_MS))
      await sleep(3_500)
      // Allows for the time that the start took.
      const off = Math.abs(node?.clockOffset ?? 0) > CLOCK_OFF_MS - 60_000
      return { [ahead ? 'times ahead' : 'times behind']: Number(off) }
    },
    finish: (world) => restart(world.nodes[1]),
  },
  {
    name: 'keys-rotated',
    says: "root keys and the identity service's key pairs are rotated",
    // A node looks for new keys every second.
    ...{ ...threeNodes, leastSeconds: 14 },
    async strike({ world, recorder, round }) {
      const words = ['keys', 'rotate', ...(round % 2 === 0 ? ['--discharger'] : [])]
      const status = await command({ kind: 'rotate-keys', words }, world.ratafia, recorder)
      return { rotations: Number(status === 200) }
    },
  },
  {
    name: 'issuer-black-holed',
    says: 'an issuer of ID tokens rotates its keys while it is unreachable; when it is back, it withdraws the old key',
    ...{ ...threeNodes, nodes: 2, logs: ['KeysUnavailable'] },
    strike: blackHoleIssuer,
  },
]

/** No fault: for planted bugs that the load alone reveals. */
export const CALM: Fault = {
  name: 'calm',
  says: 'nothing',
  ...{ ...threeNodes, nodes: 2 },
  strike: async () => {
    await sleep(200)
    return {}
  },
}

/**
 * Returns whether all nodes leave a server, so that the service has no connections to it any more. Connections whose
 * commit waits for a standby do not count, because they may be abandoned. A server process that waits for a row does
 * not notice at once that its client has gone.
 */
export async function hasNoClients(server: Pick<Postgres, 'query'>): Promise<boolean> {
  for (const deadline = performance.now() + BELIEVED_MS; ; await sleep(200)) {
    const [row] = await server
      .query(
        `select count(*)::integer as count from pg_stat_activity
          where application_name = 'ratafia' and wait_event is distinct from 'SyncRep'`,
      )
      .catch(noRowsIfFull)
    if (row?.['count'] === 0) return true
    if (performance.now() > deadline) return false
  }
}

/** Returns no rows if the server refused the query because it has too many clients. Rethrows every other error. */
function noRowsIfFull(error: unknown): readonly [] {
  if (error instanceof pg.DatabaseError && error.code === '53300') return []
  throw error
}

/**
 * Revokes one session of each client on the new primary, as a node connected to it would. A command or another node
 * would take longer to start than an old primary may be believed. Returns the number of sessions.
 */
export async function revokeAtDatabase(
  clients: readonly Client[],
  world: World,
  { history, now }: Recorder,
): Promise<number> {
  await untilSomeHaveTokens(clients)
  const chosen = clients.flatMap((client) => client.tokens.slice(0, 1).map((token) => ({ client, token })))
  if (chosen.length === 0) return 0
  const ids = chosen.map(({ token: { session } }) => `'${session}'`)
  const sent = now()
  await world.statement(
    `update token_session set revoked_at = ${Date.now()}, revoked_by = '${REVOKED_BY_FAULTS}' where session_id in (${ids.join(', ')})`,
  )
  const told = {
    kind: 'revoke-session',
    where: 'the new primary',
    sent,
    answered: now(),
    status: 200,
  } as const
  for (const { client, token } of chosen) {
    history.push({ ...told, ends: `session ${token.session}` })
    watch(client, whoami(token))
  }
  return chosen.length
}

/** Sends an ID token to every node, as a CI job. Returns how many exchange it: both releases know issuers and rules. */
async function exchangeAtEach({ nodes, issuer }: World, [client]: readonly Client[]): Promise<number> {
  const [rule] = client?.rules ?? []
  const [key] = issuer.keys
  if (!client || !rule || !key) return 0
  const answers = await Promise.all(
    nodes.map((node) => client.wire.send(node, exchangingIdToken(newIdToken(rule, { issuer, key })))),
  )
  return answers.filter(({ status }) => status === 200).length
}

/** Tries to revoke a token, which the client presents from then on, but does not revoke again if this failed. */
async function revokeInVain(client: Client): Promise<void> {
  const token = client.tokens.shift()
  if (token) await revokeAt(client.wire.pick(client.random), client, token)
}

/** Revokes a token that no list of the client holds any more, and presents it to every node from then on. */
async function revokeAt(node: Target, client: Client, token: Token): Promise<void> {
  await client.wire.send(node, revoke(token, token))
  client.endedTokens.push(token)
  watch(client, whoami(token))
}

/** Takes a token from each client that has one, and presents it to a node, which caches it. */
async function takeTokens(
  clients: readonly Client[],
  node: Node,
): Promise<readonly (readonly [Client, Token])[]> {
  const taken = clients.flatMap((client) => {
    const token = client.tokens.shift()
    return token ? [[client, token] as const] : []
  })
  await Promise.all(taken.map(([{ wire }, token]) => wire.send(node, whoami(token))))
  return taken
}

/** How long before the revocation the read is sent. */
const OVERLAP_MS = 30

/** Revokes a token at another node while `late` reads it for the first time, so that the read value is out of date. */
async function revokeWhileRead(client: Client, late: Node): Promise<void> {
  const { wire, random, people, eras } = client
  const other = wire.targets.find((target) => target !== late)
  const [person] = people
  if (!other || !person) return
  const elsewhere = new Wire([other], wire.recorder)
  const token = await eras.during(person, (era) => logIn(person, elsewhere, random, era))
  if (token) {
    const read = wire.send(late, whoami(token))
    await sleep(OVERLAP_MS)
    await revokeAt(other, client, token)
    await read
  }
  elsewhere.close()
}

/** Waits until a client has a token: clients may have used up their tokens while the database was unavailable. */
const untilSomeHaveTokens = (clients: readonly Client[]): Promise<true> =>
  until('a client with a token', () => clients.some(({ tokens }) => tokens.length > 0))

/** Adds a standby in place of the lost server, as a copy of the remaining one, which stops for a moment. */
async function replaceLost(
  { servers, proxies, synchronous, directory }: World,
  round: number,
): Promise<void> {
  const standby = await servers.primary?.addStandby(directory(`standby-${round}`), { synchronous })
  if (!standby) return
  servers.standby = standby
  proxies[(round - 1) % 2]?.leadTo(standby.port)
}

async function restart(node: Node | undefined): Promise<void> {
  await node?.stop()
  await node?.start()
}
