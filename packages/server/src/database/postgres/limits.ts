/**
 * The limits of connections. Time limits are requested when a connection is opened, and checked once. A PgBouncer in
 * between can refuse or drop them, and in its transaction mode a session setting would end up on another client's
 * connection. In those cases each transaction sets its own limits.
 */
import type pg from 'pg'

/** Waits are in milliseconds; 0 means no limit. */
export interface PostgresLimits {
  readonly maxConnections: number
  /** How long we wait for a free or a new connection. */
  readonly connectMs: number
  /** The server cancels a statement that runs this long, and a transaction that is idle this long. */
  readonly statementMs: number
  /** The server cancels a statement that waits this long for a lock, with 55P03. */
  readonly lockMs: number
  /** We drop a connection that does not answer for this long: the network is gone. */
  readonly answerMs: number
  /** We leave a host that acknowledges no heartbeat for this long. */
  readonly confirmMs: number
}

export const DEFAULT_LIMITS: PostgresLimits = {
  maxConnections: 10,
  connectMs: 5_000,
  statementMs: 10_000,
  lockMs: 5_000,
  answerMs: 15_000,
  confirmMs: 2_000,
}

/** How long migrations, backups, restores and imports wait for another process's lock. */
export const LONGEST_WAIT_MS = 600_000

/** The limits of backups, restores and imports, which can take long or wait for another process that does. */
export const UNHURRIED_LIMITS: PostgresLimits = {
  maxConnections: 1,
  // The database has answered before, and may be busy.
  connectMs: 60_000,
  statementMs: 0,
  lockMs: LONGEST_WAIT_MS,
  answerMs: 0,
  // Their writes can keep the disk busy.
  confirmMs: 60_000,
}

/**
 * The limits of work that locks whole tables, such as migrations. Every other statement on a table queues
 * behind the wait for its lock, so that wait is short, and repeated.
 */
export const LOCKING_LIMITS: PostgresLimits = { ...UNHURRIED_LIMITS, lockMs: 1_000 }

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
