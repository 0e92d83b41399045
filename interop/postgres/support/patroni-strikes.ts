/** The table of strikes at a Patroni cluster. */
import { hasNoClients } from '../../../faults/faults.ts'
import type { Evidence } from '../../../faults/striking.ts'
import { sleep } from '../../../faults/world/processes.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import type { LoginWatch } from './login-watch.ts'
import type { Patroni } from './patroni.ts'
import type { Member } from './patroni-member.ts'

/** How long the load runs before and after each strike. */
export const CALM_MS = 2_000
/** Longer than Patroni's `ttl`. */
const WITHOUT_ETCD_MS = 22_000

interface Blow {
  readonly cluster: Patroni
  readonly leader: Member
  readonly logins: LoginWatch
  /** Waits for another leader, and records when it led. */
  promoted(): Promise<Member>
  /** Revokes sessions on the current leader, whichever server the nodes use. Returns how many. */
  revoke(): Promise<number>
}

export interface Strike {
  readonly title: string
  /** Whether another member finally leads. */
  readonly moves: boolean
  /** Strikes. The caller repairs the damage. Returns counters that show that it struck, all above 0. */
  readonly strike: (blow: Blow) => Promise<Evidence>
}

export const STRIKES: readonly Strike[] = [
  {
    title: 'kill -9 of Patroni and PostgreSQL on the leader',
    moves: true,
    async strike({ leader, promoted }) {
      const patroni = await leader.killPatroni()
      const killed = leader.killPostgres()
      await promoted()
      return { 'Patronis killed': Number(patroni), 'processes killed': killed }
    },
  },
  {
    title: 'kill -9 of PostgreSQL on the leader, while Patroni keeps running',
    moves: true,
    async strike({ leader, promoted }) {
      const killed = leader.killPostgres()
      await promoted()
      return { 'processes killed': killed }
    },
  },
  {
    title: 'the whole leader is paused, and resumes when another leads',
    moves: true,
    async strike({ leader, promoted, revoke }) {
      const stopped = leader.signalPatroni('SIGSTOP')
      const processes = leader.signalPostgres('SIGSTOP')
      await promoted()
      const revoked = await revoke()
      return { 'processes stopped': stopped ? processes.length : 0, 'sessions revoked meanwhile': revoked }
    },
  },
  {
    title: 'the leader is cut off from members and etcd, while the nodes still reach it',
    moves: true,
    async strike({ cluster, leader, promoted, revoke }) {
      const before = cluster.lost
      cluster.isolate(leader)
      await promoted()
      const revoked = await revoke()
      await sleep(CALM_MS)
      return {
        'old leaders that answer and have stepped down': Number(await leader.hasSteppedBack()),
        'sessions revoked meanwhile': revoked,
        'packets lost': cluster.lost - before,
      }
    },
  },
  {
    title: 'kill -9 of Patroni on the leader, while PostgreSQL keeps running',
    moves: true,
    async strike({ leader, promoted, revoke }) {
      const killed = await leader.killPatroni()
      await promoted()
      const shown = await standsBeside(leader, revoke)
      return { 'Patronis killed': Number(killed), ...shown }
    },
  },
  {
    title: 'Patroni on the leader is paused, while PostgreSQL keeps running',
    moves: true,
    async strike({ leader, promoted, revoke }) {
      const stopped = leader.signalPatroni('SIGSTOP')
      await promoted()
      const shown = await standsBeside(leader, revoke)
      return { 'Patronis stopped': Number(stopped), ...shown }
    },
  },
  {
    title: 'patronictl switchover',
    moves: true,
    async strike({ cluster, promoted }) {
      const code = await cluster.switchOver()
      await promoted()
      return { switchovers: Number(code === 0) }
    },
  },
  {
    title: 'kill -9 of two of three etcds, for longer than ttl',
    moves: false,
    async strike({ cluster, leader, logins }) {
      const killed = await cluster.etcd.killMost()
      await sleep(WITHOUT_ETCD_MS)
      // A busy Patroni doesn't always answer within a second.
      const failsafe = await eventually('the leader is in failsafe mode', async () => {
        return (await leader.status())?.failsafe
      })
      const before = logins.count()
      await sleep(CALM_MS)
      const worked = logins.count() - before
      return {
        'etcds killed': killed,
        'leaders in failsafe mode': Number(failsafe),
        'logins without etcd': worked,
      }
    },
  },
]

/** Checks an old leader that runs next to the new one, because its Patroni does not stop it. */
async function standsBeside(leader: Member, revoke: Blow['revoke']): Promise<Evidence> {
  const [row] = await leader.query('select not pg_is_in_recovery() as yes')
  const revoked = await revoke()
  await sleep(CALM_MS)
  return {
    'old leaders that claim to accept writes': Number(row?.['yes']),
    'sessions revoked meanwhile': revoked,
    'old leaders that all nodes left': Number(await hasNoClients(leader)),
  }
}
