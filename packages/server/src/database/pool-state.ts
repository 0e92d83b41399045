/** The use of this process's connections. */
export interface PoolState {
  /** The highest number of connections that can be open. */
  readonly most: number
  readonly open: number
  /** How many of the open connections are idle. */
  readonly idle: number
  /** How many statements and transactions are waiting for a connection. */
  readonly waiting: number
}
