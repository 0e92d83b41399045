/** The limits on connections and waits. Waits are in milliseconds; 0 means no limit. */
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
