/** The change feed of either database. */
import type { Database } from '../database.ts'
import type { ChangeFeed } from './change-feed.ts'
import { findUnheard } from './unheard.ts'

/** Where changes are heard: at an address of the same PostgreSQL that is no PgBouncer, or in the file. */
export type ChangeSource =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly listenUrl: string }

/** A feed that begins to hear a moment later. `warn` gets a sentence if it will not hear of every change. */
export async function openChangeFeed(
  database: Database,
  source: ChangeSource,
  warn: (message: string) => void,
): Promise<ChangeFeed> {
  const look = findUnheard(database, warn)
  // Loads only the driver it needs.
  if (source.kind === 'sqlite') {
    const { WatchingFeed } = await import('./watching-feed.ts')
    return new WatchingFeed(database, source.file, look)
  }
  const { listenForChanges } = await import('./listening-feed.ts')
  return listenForChanges(database, source.listenUrl, look)
}
