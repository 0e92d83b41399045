/** Waits for locks: who keeps our server processes waiting, and work that is repeated until it gets every lock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { sqlState } from '../errors/driver-errors.ts'
import type { Schema } from '../schema/schema.ts'
import { LONGEST_WAIT_MS } from './limits.ts'

interface Holder {
  readonly what: string
  readonly pid: number
  readonly application: string | null
  readonly state: string | null
  readonly seconds: number | null
}

/** Returns a sentence about the lock that one of these server processes waits for; undefined if none waits. */
export async function lockWaitOf(
  query: Kysely<Schema>,
  pids: readonly number[],
): Promise<string | undefined> {
  if (pids.length === 0) return undefined
  // Other roles' activity is null here, unless this role has permission to read it.
  const { rows } = await sql<Holder>`
    select case when l.relation is null then 'a row' else 'the table ' || l.relation::regclass::text end as what,
      a.pid, nullif(a.application_name, '') as application, a.state,
      extract(epoch from clock_timestamp() - a.xact_start)::integer as seconds
    from pg_locks l
      cross join unnest(pg_blocking_pids(l.pid)) as blocking (pid)
      join pg_stat_activity a on a.pid = blocking.pid
    where not l.granted and l.pid = any(array[${sql.join(pids)}]::integer[])
    order by a.xact_start nulls last, a.pid limit 1`.execute(query)
  const [holder] = rows
  if (!holder) return undefined
  const { what, pid, application, state, seconds } = holder
  const known = [application, state === 'active' ? undefined : state, since(seconds)]
    .filter(Boolean)
    .join(', ')
  return `waiting for a lock on ${what}, held by process ${pid} of PostgreSQL${known === '' ? '' : ` (${known})`}`
}

/** Returns how long the transaction has run, rounded, so that a wait does not look new each second. */
function since(seconds: number | null): string | undefined {
  if (seconds === null) return undefined
  return seconds < 60 ? 'for less than a minute' : `for ${Math.floor(seconds / 60)} min`
}

/** A lock was not free in time, or this side was chosen to end a deadlock. */
const LOCK_REFUSALS: ReadonlySet<string> = new Set(['55P03', '40P01'])
const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000

/** Repeats `attempt`; waiting statements run in the pauses. Throws other errors, and the last at the deadline. */
export async function repeatedUntilLocked<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LONGEST_WAIT_MS
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLockRefusal(error) || performance.now() > deadline) throw error
    }
    // A random pause, so that two processes that do the same don't stay in step.
    await sleep(pause * (0.5 + Math.random()))
  }
}

const isLockRefusal = (error: unknown): boolean =>
  error instanceof Error && LOCK_REFUSALS.has(sqlState(error) ?? sqlState(error.cause) ?? '')
