/** Opens {@link CacheFreshness} on either database. */
import type { Database } from '../database.ts'
import type { CacheFreshness } from './cache-freshness.ts'
import { findUnannounced } from './tables-without-triggers.ts'

/** Where changes come from: an address of the same PostgreSQL without a PgBouncer in between, or the file. */
export type ChangeSource =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly listenUrl: string }

/** Begins to receive changes a moment later. `warn` gets a sentence if some changes may not be announced. */
export async function openCacheFreshness(
  database: Database,
  source: ChangeSource,
  warn: (message: string) => void,
): Promise<CacheFreshness> {
  const look = findUnannounced(database, warn)
  // Loads only the driver it needs.
  if (source.kind === 'sqlite') {
    const { SqliteCacheFreshness } = await import('./cache-freshness-sqlite.ts')
    return new SqliteCacheFreshness(database, source.file, look)
  }
  const { listenForChanges } = await import('./cache-freshness-postgres.ts')
  return listenForChanges(database, source.listenUrl, look)
}
