/** How long each wait for PostgreSQL may take. Milliseconds; 0 = without an end. */
export interface PostgresLimits {
  readonly maxConnections: number
  /** For a free connection, or a new one. */
  readonly connectMs: number
  /** The server gives up a statement after this, and a transaction that does nothing for as long. */
  readonly statementMs: number
  /** The server gives up a statement that waits for a lock for this long. */
  readonly lockMs: number
  /** We give up the connection after this without an answer: the network is gone. */
  readonly answerMs: number
}

export const DEFAULT_LIMITS: PostgresLimits = {
  maxConnections: 10,
  connectMs: 5_000,
  statementMs: 10_000,
  lockMs: 5_000,
  answerMs: 15_000,
}

/** For migrations, which may rewrite a table, or wait for another process that does. */
export const UNHURRIED_LIMITS: PostgresLimits = {
  maxConnections: 1,
  connectMs: 5_000,
  statementMs: 0,
  lockMs: 0,
  answerMs: 0,
}
