import type { SealedValueStore } from '../keyring/sealed-value-store.ts'
import type { Sealer } from '../keyring/sealing.ts'
import type { TransactionStores } from '../stores.ts'
import type { CheckupStore } from './checkup-store.ts'
import type { JobCheckStore } from './job-check-store.ts'
import type { SchemaCheckStore } from './schema-check-store.ts'

export interface CheckDeps {
  /** A snapshot of the database. */
  readonly rows: CheckupStore
  readonly jobs: JobCheckStore
  readonly schema: SchemaCheckStore
  readonly sealed: SealedValueStore
  readonly sealer: Sealer
  readonly stores: TransactionStores
}

/** A check of something that must always be true. */
export interface Check {
  /** The check's name for people and programs, such as `one-holder`. */
  readonly name: string
  /** A sentence that is true unless there are problems. */
  readonly holds: string
  /** Returns a sentence that replaces the check if the database has nothing to check yet. */
  readonly nothingYet?: (deps: CheckDeps) => Promise<string | undefined>
  /** Yields each violation as a sentence. Needs the memory of a few rows, however many there are. */
  readonly find: (deps: CheckDeps) => AsyncIterable<string>
}
