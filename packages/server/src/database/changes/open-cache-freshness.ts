/** Opens {@link CacheFreshness} on either database. */
import type { Database } from '../database.ts'
import type { CacheFreshness } from './cache-freshness.ts'
import { findUnannounced } from './tables-without-triggers.ts'

/** The source of changes: the file, or a URL of the same PostgreSQL without a PgBouncer in between. */
export type ChangeSource =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly listenUrl: string }

/** Starts to receive changes, soon after it returns. `warn` gets a sentence if some changes might not be announced. */
export async function openCacheFreshness(
  database: Database,
  source: ChangeSource,
  warn: (message: string) => void,
): Promise<CacheFreshness> {
  const look = findUnannounced(database, warn)
  // Load only the driver that is needed.
  if (source.kind === 'sqlite') {
    const { SqliteCacheFreshness } = await import('./cache-freshness-sqlite.ts')
    return new SqliteCacheFreshness(database, source.file, look)
  }
  const { listenForChanges } = await import('./cache-freshness-postgres.ts')
  return listenForChanges(database, source.listenUrl, look)
}
