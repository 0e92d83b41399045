/** How busy the connections of this process are. */
export interface PoolState {
  /** How many there may be. */
  readonly most: number
  readonly open: number
  /** Of those that are open. */
  readonly idle: number
  /** Statements and transactions that wait for one. */
  readonly waiting: number
}
