/** The limits on connections and waits. Waits are in milliseconds; 0 = no limit. */
export interface PostgresLimits {
  readonly maxConnections: number
  /** To get a free or a new connection. */
  readonly connectMs: number
  /** The server cancels a statement that runs this long, and ends a transaction that is idle this long. */
  readonly statementMs: number
  /** The server cancels a statement that waits this long for a lock. */
  readonly lockMs: number
  /** We drop a connection that gives no answer for this long: the network is gone. */
  readonly answerMs: number
  /** We leave a host that acknowledges no beat for this long. */
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

/** For migrations, backups, restores and imports, which may take long or wait for another process that does. */
export const UNHURRIED_LIMITS: PostgresLimits = {
  maxConnections: 1,
  connectMs: 5_000,
  statementMs: 0,
  lockMs: 0,
  answerMs: 0,
  // What these write may keep the disk busy.
  confirmMs: 60_000,
}
