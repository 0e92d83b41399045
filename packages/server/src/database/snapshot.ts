import type { Transaction } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema/schema.ts'

/**
 * Reads the database as it is at one moment, for as long as it takes, while others write: every statement of `work`
 * sees the same rows. On SQLite the log of writes cannot be cut short meanwhile, on PostgreSQL dead rows stay.
 */
export function inSnapshot<T>(
  database: Pick<Database, 'unhurried'>,
  work: (query: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return database.unhurried((query) =>
    query.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
  )
}
