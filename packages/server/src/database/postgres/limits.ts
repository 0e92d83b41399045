/** The limits on connections and waits. Waits are in milliseconds; 0 = no limit. */
export interface PostgresLimits {
  readonly maxConnections: number
  /** To get a free or a new connection. */
  readonly connectMs: number
  /** The server cancels a statement that runs this long, and ends a transaction that is idle this long. */
  readonly statementMs: number
  /** The server cancels a statement that waits this long for a lock: 55P03. */
  readonly lockMs: number
  /** We drop a connection that gives no answer for this long: the network is gone. */
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

/** How long migrations, backups, restores and imports wait for what another process holds. */
export const LONGEST_WAIT_MS = 600_000

/** For backups, restores and imports, which may take long or wait for another process that does. */
export const UNHURRIED_LIMITS: PostgresLimits = {
  maxConnections: 1,
  // The database has answered already, and may be busy.
  connectMs: 60_000,
  statementMs: 0,
  lockMs: LONGEST_WAIT_MS,
  answerMs: 0,
  // What these write may keep the disk busy.
  confirmMs: 60_000,
}

/**
 * For what locks whole tables, such as migrations. Every other statement on a table waits behind the wait for its lock,
 * so that wait is short, and repeated.
 */
export const LOCKING_LIMITS: PostgresLimits = { ...UNHURRIED_LIMITS, lockMs: 1_000 }
