/** Finds out who keeps our server processes waiting for a lock. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

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
