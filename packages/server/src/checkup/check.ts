import type { SealedValueStore } from '../keyring/sealed-value-store.ts'
import type { Sealer } from '../keyring/sealing.ts'
import type { TransactionStores } from '../stores.ts'
import type { CheckupStore } from './checkup-store.ts'
import type { JobCheckStore } from './job-check-store.ts'
import type { SchemaCheckStore } from './schema-check-store.ts'

export interface CheckDeps {
  /** The database at one moment. */
  readonly rows: CheckupStore
  readonly jobs: JobCheckStore
  readonly schema: SchemaCheckStore
  readonly sealed: SealedValueStore
  readonly sealer: Sealer
  readonly stores: TransactionStores
}

/** One thing that must always be true. */
export interface Check {
  /** For people and programs: `one-holder`. */
  readonly name: string
  /** What is true, as a sentence. */
  readonly holds: string
  /** Each violation as a sentence. Takes the memory of a few rows, however many there are. */
  readonly find: (deps: CheckDeps) => AsyncIterable<string>
}
