import type { Transaction } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema/schema.ts'

/**
 * Reads the database as it is at one moment, without a time limit, while others write: every statement of `work` sees
 * the same rows. They count once this resolves: only the end shows that a PostgreSQL was still the primary. Meanwhile
 * SQLite cannot truncate its write-ahead log, and PostgreSQL cannot remove dead rows.
 */
export function inSnapshot<T>(
  database: Pick<Database, 'unhurried'>,
  work: (query: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return database.unhurried((query) =>
    query.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
  )
}
