/** The faults, as rows of a table. Each strikes repeatedly while the load runs. */

import pg from 'pg'
import { ADMINISTERED_ROUNDS, administer, compareBackup } from './administered.ts'
import { blackHoleIssuer } from './black-hole-issuer.ts'
import { REVOKED_BY_FAULTS } from './check/audited.ts'
import { type Client, watch } from './load/client.ts'
import { exchangingIdToken, newIdToken } from './load/job.ts'
import { logIn, revoke, whoami } from './load/log-in.ts'
import { command } from './load/operator.ts'
import { type Recorder, Wire } from './load/wire.ts'
import type { Evidence, Striking } from './striking.ts'
import type { Node } from './world/node.ts'
import type { Postgres } from './world/postgres.ts'
import { sleep } from './world/processes.ts'
import { NEXT_MIGRATION, thisRelease } from './world/release.ts'
import { until } from './world/until.ts'
import type { Layout, World } from './world/world.ts'
import { setClock, shiftedClock, startWithWrongClocks, TURNS } from './wrong-clocks.ts'

/** Pauses in milliseconds: between two operations of a client, and between two commands of the operator. */
export interface Pace {
  readonly client: number
  readonly operator: number
  /** Between commands about rules for jobs, which come beside. */
  readonly rules: number
}

export interface Fault extends Layout {
  readonly name: string
  readonly says: string
  /** How long the load runs, for faults that take time to show. */
  readonly leastSeconds?: number
  /** How often it strikes at least, however long that takes. Default: once. */
  readonly leastStrikes?: number
  /** How fast the load is. Default: as fast as it is answered. */
  readonly pace?: Pace
  /** Additional environment variables of a node, by its index. */
  readonly environment?: (at: number) => Readonly<Record<string, string>>
  /**
   * One strike and its repair: when it returns, everything is as before. Returns counters that show it struck; a run in
   * which one of them stays 0 has tested nothing.
   */
  readonly strike: (striking: Striking) => Promise<Evidence>
  /** Messages that nodes log as errors because of it, and types of errors in their warnings. */
  readonly logs?: readonly string[]
  /** Runs before the final check. */
  readonly finish?: (world: World) => Promise<unknown>
}

const FIND_NEXT = `select name from schema_migration where name = '${NEXT_MIGRATION}'`
const COUNT_PARTITIONS = `select count(*) from pg_inherits where inhparent = to_regclass('device')`

/** A node that is off by more than five minutes does not serve. */
const CLOCK_OFF_MS = 240_000
/** Nodes leave within seconds. One that stays so long believes an old primary. */
const BELIEVED_MS = 60_000
const threeNodes = { database: 'postgres', nodes: 3, workers: 1 } as const

export const FAULTS: readonly Fault[] = [
  {
    name: 'worker-killed',
    says: 'kill -9 of a worker process',
    ...{ database: 'postgres', nodes: 1, workers: 2, logs: ['a worker died and is replaced'] },
    async strike({ world }) {
      // The oldest: a node whose workers keep dying at their start exits, which is a different case.
      const [node] = world.nodes
      const before = node?.workers() ?? []
      const [worker] = before
      if (!node || worker === undefined) return { 'workers killed': 0 }
      process.kill(worker, 'SIGKILL')
      await until('a killed worker to be replaced', () => {
        const now = node.workers()
        // A node that ended is a finding of the checker.
        return !node.running || (!now.includes(worker) && now.length === before.length)
      })
      // The new one serves, too.
      await sleep(1_000)
      return { 'workers killed': 1 }
    },
  },
  {
    name: 'node-killed',
    says: 'kill -9 of a node: of the process that was started, whose workers have to notice',
    ...{ ...threeNodes, workers: 2 },
    async strike({ world, random }) {
      const node = random.pick(world.nodes)
      const killed = Number(node?.running ?? false)
      await node?.kill()
      await sleep(500 + random.below(500))
      await node?.start()
      return { 'nodes killed': killed }
    },
  },
  {
    name: 'postgres-killed',
    says: 'kill -9 of PostgreSQL, and its restart',
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
    says: 'kill -9 of a PostgreSQL that divides the tables of devices into 32 partitions, and its restart',
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
    says: 'the primary killed, its synchronous standby promoted',
    // With a standby that is behind, and with one that is not.
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
    says: 'the synchronous standby promoted, while the nodes still reach the old primary and it knows of nothing',
    ...{ database: 'pair', nodes: 3, workers: 1 },
    // Commits that hang must not keep a node from reading: what it reads is the question.
    environment: () => ({ RATAFIA_DATABASE_POOL: '40' }),
    async strike({ world, clients, recorder, round }) {
      const { servers } = world
      const { primary: old, standby } = servers
      if (!old || !standby) return { 'standbys promoted': 0 }
      // Something to revoke.
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
        'synchronous standbys promoted beside their primary': Number(promoted && state === 'sync'),
        'sessions revoked there': revoked,
        'old primaries that all nodes had left': Number(left),
      }
    },
  },
  {
    name: 'connection-cut',
    says: 'all connections of a node to the database cut',
    ...threeNodes,
    async strike({ world, random }) {
      const cut = random.pick(world.proxies)?.cut() ?? 0
      await sleep(100 + random.below(300))
      return { 'connections cut': cut }
    },
  },
  {
    name: 'connection-delayed',
    says: 'each packet between a node and the database 150 ms late, or each answer by a time of its connection',
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
    says: 'a node and the database cannot hear each other, and nobody is told',
    ...{ ...threeNodes, leastStrikes: 2 },
    async strike({ world, random }) {
      const proxy = random.pick(world.proxies)
      const before = proxy?.held ?? 0
      proxy?.blackHole()
      await sleep(5_000)
      proxy?.heal()
      await sleep(1_500)
      return { 'packets lost': (proxy?.held ?? 0) - before }
    },
  },
  {
    name: 'disk-full',
    says: 'the disk of SQLite full',
    ...{ database: 'sqlite', nodes: 1, workers: 2 },
    async strike({ world, random, recorder: { history } }) {
      const pids = world.nodes[0]?.pids() ?? []
      const before = history.length
      world.disk?.fill(pids)
      await sleep(800 + random.below(400))
      const refused = history.slice(before).filter(({ status }) => status === 503).length
      world.disk?.empty(pids)
      await sleep(800)
      return { 'requests that found it full': refused }
    },
  },
  {
    name: 'clock-off',
    says: 'the clock of one node four minutes off, ahead and behind in turn',
    ...{ ...threeNodes, leastStrikes: 2 },
    async strike({ world, round }) {
      const node = world.nodes[1]
      await node?.stop()
      const ahead = round % 2 === 1
      await node?.start(shiftedClock(ahead ? CLOCK_OFF_MS : -CLOCK_OFF_MS))
      await sleep(3_500)
      // Within the time that its start took.
      const off = Math.abs(node?.clockOffset ?? 0) > CLOCK_OFF_MS - 60_000
      return { [ahead ? 'times ahead' : 'times behind']: Number(off) }
    },
    finish: (world) => restart(world.nodes[1]),
  },
  {
    name: 'clock-wrong-at-start',
    says: 'one node, then all of them, started with clocks that are hours and days off, ahead and behind',
    ...{ ...threeNodes, leastStrikes: TURNS },
    strike: startWithWrongClocks,
  },
  {
    name: 'clock-set',
    says: 'the clock of one node set by hours and days while it runs, ahead and behind, and set right again',
    ...{ ...threeNodes, leastStrikes: TURNS },
    strike: setClock,
    finish: (world) => restart(world.nodes[1]),
  },
  {
    name: 'rolling-upgrade',
    says: 'nodes replaced one after the other by the next release, then by this one again, and so on',
    ...{ ...threeNodes, upgrades: true, leastStrikes: 2 },
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
        // The first node of the next release migrates the database; the others keep serving with this one's code.
        world.installation = { ...world.installation, ...release }
        await sleep(2_500)
        exchanged += await exchangeAtEach(world, clients)
      }
      const migrated = await world.statement(FIND_NEXT)
      return {
        [upgrades ? 'nodes upgraded' : 'nodes taken back']: nodes.length,
        'times on the schema of the next release': migrated.length,
        'ID tokens exchanged after each': exchanged,
      }
    },
  },
  {
    name: 'keys-rotated',
    says: "root keys and the identity service's key pairs rotated",
    // A node looks for new keys every second.
    ...{ ...threeNodes, leastSeconds: 14 },
    async strike({ world, recorder, round }) {
      const words = ['keys', 'rotate', ...(round % 2 === 0 ? ['--discharger'] : [])]
      const status = await command({ kind: 'rotate-keys', words }, world.ratafia, recorder)
      return { rotations: Number(status === 200) }
    },
  },
  {
    name: 'administered',
    says: 'an import and a rotation of the secret key killed in the middle, both operators removed at once, backups',
    ...{ ...threeNodes, nodes: 2, leastStrikes: ADMINISTERED_ROUNDS },
    strike: administer,
    finish: compareBackup,
  },
  {
    name: 'issuer-black-holed',
    says: 'nobody hears an issuer of ID tokens while it rotates its keys; when it is back, it takes the old key back',
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
 * Whether all nodes leave a server: then the service has no connections to it any more, except those whose commit waits
 * for a standby, which may be abandoned. A server process that waits for a row does not notice at once that its client
 * has gone.
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

/** For a server that refuses the question because it has too many clients. Throws every other error again. */
function noRowsIfFull(error: unknown): readonly [] {
  if (error instanceof pg.DatabaseError && error.code === '53300') return []
  throw error
}

/**
 * Revokes a session of each client as a node beside the new primary would: a command or another node takes longer to
 * start than an old primary may be believed. Returns how many.
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

/** A job sends an ID token to every node. Returns how many get a token for it: both releases know issuers and rules. */
async function exchangeAtEach({ nodes, issuer }: World, [client]: readonly Client[]): Promise<number> {
  const [rule] = client?.rules ?? []
  const [key] = issuer.keys
  if (!client || !rule || !key) return 0
  const answers = await Promise.all(
    nodes.map((node) => client.wire.send(node, exchangingIdToken(newIdToken(rule, { issuer, key })))),
  )
  return answers.filter(({ status }) => status === 200).length
}

/** How long a read is on its way before the revocation. */
const OVERLAP_MS = 30

/** Another node revokes a token that this one has not heard of, and reads: what it reads is out of date. */
async function revokeWhileRead(client: Client, late: Node): Promise<void> {
  const { wire, random, people, eras, endedTokens } = client
  const other = wire.targets.find((target) => target !== late)
  const [person] = people
  if (!other || !person) return
  const elsewhere = new Wire([other], wire.recorder)
  const token = await eras.during(person, (era) => logIn(person, elsewhere, random, era))
  if (token) {
    const read = wire.send(late, whoami(token))
    await sleep(OVERLAP_MS)
    await elsewhere.send(other, revoke(token, token))
    await read
    endedTokens.push(token)
    watch(client, whoami(token))
  }
  elsewhere.close()
}

/** While the database is away, clients may use up all their tokens: they log in again within seconds. */
const untilSomeHaveTokens = (clients: readonly Client[]): Promise<true> =>
  until('a client with a token', () => clients.some(({ tokens }) => tokens.length > 0))

/** The lost server never returns. Its replacement starts as a copy, for which the remaining server stops. */
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
