/** Tells a process about the changes of all processes, and whether it has heard about every one. */
import type { Database } from '../database.ts'
import type { RowChange } from './row-change.ts'

export interface ChangeFeed {
  /**
   * Whether everything has been heard that was committed before now, on PostgreSQL more than half a second before. On
   * SQLite this looks at the file (some 1.5 µs); on PostgreSQL it only looks at the clock.
   */
  current(): boolean
  /** Changes with each change that is heard, and after each gap in hearing. */
  readonly position: number
  /** Calls back as soon as a change is heard; without an argument when anything may have changed. */
  subscribe(heard: (change?: RowChange) => void): void
  /** The memories that rely on this feed, by name. */
  readonly memories: Map<string, () => MemoryState>
  /** How outdated the process may be, in milliseconds; infinite while it hears nothing. */
  lag(): number
  close(): Promise<void>
}

/** How much one memory contains, and how often it helped: for metrics. */
interface MemoryState {
  readonly size: number
  readonly hits: number
  readonly misses: number
  /** Look-ups while nothing remembered could be trusted. */
  readonly bypassed: number
}

/** Where changes are heard: at an address of the same PostgreSQL that is no PgBouncer, or in the file. */
export type ChangeSource =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly listenUrl: string }

/** A feed that begins to hear a moment later. */
export async function openChangeFeed(database: Database, source: ChangeSource): Promise<ChangeFeed> {
  // Loads only the driver it needs.
  if (source.kind === 'sqlite') {
    const { WatchingFeed } = await import('./watching-feed.ts')
    return new WatchingFeed(database, source.file)
  }
  const { listenForChanges } = await import('./listening-feed.ts')
  return listenForChanges(database, source.listenUrl)
}
