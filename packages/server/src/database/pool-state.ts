/** How busy this process's connections are. */
export interface PoolState {
  /** The limit. */
  readonly most: number
  readonly open: number
  /** Of the open ones. */
  readonly idle: number
  /** Statements and transactions waiting for a connection. */
  readonly waiting: number
}
