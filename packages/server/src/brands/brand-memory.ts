/**
 * A node's cache of what operators set up: trust roots, assertions, signing keys. Each request of a device
 * reads some of it. A change by an operator clears all of it: that is rare, so the cache doesn't track which
 * entry depends on which row. See docs/decisions/0021-what-nodes-remember.md.
 */
import type { CheckedAssertions } from '@ratafia/assertions'

export interface BrandMemory {
  /** Returns undefined while the node may have missed a change. Then read the database. */
  current(): Remembered | undefined
}

declare module '../stores.ts' {
  interface TransactionStores {
    /** The cache; only a service has one, and only outside transactions. */
    readonly brandMemory?: BrandMemory | undefined
  }
}

/** The cache since the last change that the node received. */
export interface Remembered {
  /** Returns the cached value with this name, or reads and caches it. Undefined is not cached. */
  find<T extends object>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined>
  /** The assertions whose chains were checked. */
  readonly checked: CheckedAssertions
  /** Reports that a key expires at that instant: nothing is cached longer, unless it has already passed. */
  expires(at: Date): void
}
