/**
 * What operations work with, each thing by one name. A store adds itself in its own file (`declare module`), so this
 * file knows none of them and imports run one way. The signature of an operation destructures what it uses.
 */
import type { Clock } from './clock.ts'

/** What is there both on the database and on one transaction. */
// biome-ignore lint/suspicious/noEmptyInterface: each store adds itself.
export interface TransactionStores {}

/** What is there outside a transaction. */
export interface Stores extends TransactionStores {
  /** The database's. */
  readonly clock: Clock
}
