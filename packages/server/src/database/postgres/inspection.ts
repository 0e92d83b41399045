/**
 * The time limits of a connection, requested when it is opened and checked once. A PgBouncer in between can
 * refuse or drop them, and in its transaction mode a session setting would end up on another client's
 * connection. In those cases each transaction sets its own limits.
 */
import type pg from 'pg'
import type { PostgresLimits } from './limits.ts'

export interface Inspected {
  readonly read_only: string
  readonly pid: number
  readonly statement_ms: number
  readonly lock_ms: number
  readonly idle_ms: number
}

const milliseconds = (setting: string) =>
  `(extract(epoch from current_setting('${setting}')::interval) * 1000)::integer`

/** Returns one row of {@link Inspected}. */
export const INSPECTION = `select current_setting('transaction_read_only') as read_only,
  pg_backend_pid() as pid,
  ${milliseconds('statement_timeout')} as statement_ms,
  ${milliseconds('lock_timeout')} as lock_ms,
  ${milliseconds('idle_in_transaction_session_timeout')} as idle_ms`

/** Returns the limits as options of `pg`. */
export const limitsAtStart = ({ statementMs, lockMs }: PostgresLimits) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  // A node that dies inside a transaction must not keep its locks until TCP notices.
  idle_in_transaction_session_timeout: statementMs,
})

/**
 * Whether the connection leads to one server process, the one that greeted it, so that prepared statements
 * stay there. A PgBouncer greets its clients itself, with a number of its own.
 */
export const isDirect = ({ pid }: Inspected, client: pg.ClientBase): boolean =>
  'processID' in client && client.processID === pid

/** Whether the limits are in force, even if the role or the database sets others. */
export const limitsHold = (found: Inspected, { statementMs, lockMs }: PostgresLimits): boolean =>
  found.statement_ms === statementMs && found.lock_ms === lockMs && found.idle_ms === statementMs

/** Returns statements for the start of a transaction. They apply until it ends. */
export const limitsForTransaction = ({ statementMs, lockMs }: PostgresLimits): string =>
  `; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs};` +
  ` set local idle_in_transaction_session_timeout = ${statementMs}`
