/**
 * What operations work with, each thing by one name. A store adds itself in its own file (`declare module`), so this
 * file knows none of them and imports run one way. The signature of an operation destructures what it uses.
 */
import type { Clock } from './clock.ts'

/** What is there both on the database and on one transaction. */
export interface TransactionStores {
  /** How many rows a list looks at before it ends a page early. Default: what each list has measured. */
  readonly mostRows?: number
}

/** What is there outside a transaction. */
export interface Stores extends TransactionStores {
  /** The database's. */
  readonly clock: Clock
}
