/**
 * What a node remembers of what operators set up: trust roots, assertions, signing keys. Each request of a device reads
 * some of it, and all of it is forgotten when an operator changes any of it: that is rare, and so nothing depends on
 * knowing which of it rests on what. See docs/decisions/0021-what-nodes-remember.md.
 */
import type { CheckedAssertions } from '@ratafia/assertions'

export interface BrandMemory {
  /** Undefined while the node may have missed a change: then ask the database. */
  current(): Remembered | undefined
}

declare module '../stores.ts' {
  interface TransactionStores {
    /** Only in a service, and outside transactions. */
    readonly brandMemory?: BrandMemory | undefined
  }
}

/** As it was after the last change that was received. */
export interface Remembered {
  /** What was read under this name, or else what `read` finds. Undefined is not remembered. */
  find<T extends object>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined>
  /** The assertions whose chains were checked. */
  readonly checked: CheckedAssertions
  /** A key expires at that instant: nothing is remembered longer, unless it is past already. */
  expires(at: Date): void
}
