/**
 * The limits of a connection: asked for when it is opened, and looked at once. Between us and the server there may be a
 * PgBouncer, which refuses or drops them, and in its transaction mode a setting of the session would end up on somebody
 * else's connection: then each transaction sets them for itself.
 */
import type { PostgresLimits } from './limits.ts'

export interface Inspected {
  readonly read_only: string
  readonly statement_ms: number
  readonly lock_ms: number
  readonly idle_ms: number
}

const milliseconds = (setting: string) =>
  `(extract(epoch from current_setting('${setting}')::interval) * 1000)::integer`

/** One row of {@link Inspected}. */
export const INSPECTION = `select current_setting('transaction_read_only') as read_only,
  ${milliseconds('statement_timeout')} as statement_ms,
  ${milliseconds('lock_timeout')} as lock_ms,
  ${milliseconds('idle_in_transaction_session_timeout')} as idle_ms`

/** As `pg` takes them. */
export const limitsAtStart = ({ statementMs, lockMs }: PostgresLimits) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  // A node that dies inside a transaction must not hold its locks for as long as TCP takes to notice.
  idle_in_transaction_session_timeout: statementMs,
})

/** Also where the role or the database has them. */
export const limitsHold = (found: Inspected, { statementMs, lockMs }: PostgresLimits): boolean =>
  found.statement_ms === statementMs && found.lock_ms === lockMs && found.idle_ms === statementMs

/** Statements for the beginning of a transaction. They end with it. */
export const limitsForTransaction = ({ statementMs, lockMs }: PostgresLimits): string =>
  `; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs};` +
  ` set local idle_in_transaction_session_timeout = ${statementMs}`
