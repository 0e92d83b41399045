/** What happens to a Patroni cluster, as rows of a table. */
import { hasNoClients } from '../../../faults/faults.ts'
import type { Evidence } from '../../../faults/striking.ts'
import { sleep } from '../../../faults/world/processes.ts'
import { eventually } from '../../../packages/server/test/support/eventually.ts'
import type { LoginWatch } from './login-watch.ts'
import type { Patroni } from './patroni.ts'
import type { Member } from './patroni-member.ts'

/** Load before and after each strike. */
export const CALM_MS = 2_000
/** Longer than Patroni's `ttl`. */
const WITHOUT_ETCD_MS = 22_000

interface Blow {
  readonly cluster: Patroni
  readonly leader: Member
  readonly logins: LoginWatch
  /** Waits for another leader, and notes when it led. */
  promoted(): Promise<Member>
  /** Revokes sessions on the leader, whatever the nodes believe. Returns how many. */
  revoke(): Promise<number>
}

export interface Strike {
  readonly title: string
  /** Whether another member leads in the end. */
  readonly moves: boolean
  /** What is broken afterwards is repaired for it. Returns what shows that it struck, all above 0. */
  readonly strike: (blow: Blow) => Promise<Evidence>
}

export const STRIKES: readonly Strike[] = [
  {
    title: 'kill -9 of the leader: of Patroni and of PostgreSQL',
    moves: true,
    async strike({ leader, promoted }) {
      const patroni = await leader.killPatroni()
      const killed = leader.killPostgres()
      await promoted()
      return { 'Patronis killed': Number(patroni), 'processes killed': killed }
    },
  },
  {
    title: 'kill -9 of PostgreSQL on the leader, and Patroni goes on',
    moves: true,
    async strike({ leader, promoted }) {
      const killed = leader.killPostgres()
      await promoted()
      return { 'processes killed': killed }
    },
  },
  {
    title: 'the whole leader stands still, and goes on when another leads',
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
    title: 'the leader reaches no member and no etcd, and the nodes still reach it',
    moves: true,
    async strike({ cluster, leader, promoted, revoke }) {
      const before = cluster.lost
      cluster.isolate(leader)
      await promoted()
      const revoked = await revoke()
      await sleep(CALM_MS)
      return {
        'old leaders that answer, and have stepped back': Number(await leader.hasSteppedBack()),
        'sessions revoked meanwhile': revoked,
        'packets lost': cluster.lost - before,
      }
    },
  },
  {
    title: 'kill -9 of Patroni on the leader, and PostgreSQL goes on',
    moves: true,
    async strike({ leader, promoted, revoke }) {
      const killed = await leader.killPatroni()
      await promoted()
      const shown = await standsBeside(leader, revoke)
      return { 'Patronis killed': Number(killed), ...shown }
    },
  },
  {
    title: 'Patroni on the leader stands still, and PostgreSQL goes on',
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

/** An old leader whose Patroni does nothing about it, beside the new one. */
async function standsBeside(leader: Member, revoke: Blow['revoke']): Promise<Evidence> {
  const [row] = await leader.query('select not pg_is_in_recovery() as yes')
  const revoked = await revoke()
  await sleep(CALM_MS)
  return {
    'old leaders that say that they take writes': Number(row?.['yes']),
    'sessions revoked meanwhile': revoked,
    'old leaders that all nodes had left': Number(await hasNoClients(leader)),
  }
}
