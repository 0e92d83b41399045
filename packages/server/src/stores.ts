/**
 * The stores and other things that operations use, each under one name. A store adds itself in its own file
 * (`declare module`), so this file knows none of them, and imports have one direction. An operation's
 * signature destructures what it uses.
 */
import type { Clock } from './clock.ts'

/** Available both on the database and on one transaction. */
export interface TransactionStores {
  /** How many rows a list reads before it ends a page early. Default: the value measured for each list. */
  readonly mostRows?: number
}

/** Available only outside a transaction. */
export interface Stores extends TransactionStores {
  /** The database's clock. */
  readonly clock: Clock
}
