import { type Kysely, Transaction } from 'kysely'
import type { Database } from './database.ts'
import { isOutdated } from './errors/away.ts'
import { sqlState } from './errors/driver-errors.ts'
import type { Schema } from './schema/schema.ts'

const ATTEMPTS = 5

/**
 * Runs `work` in one transaction: everything is stored, or nothing if it throws. On SQLite writers run one after the
 * other; on PostgreSQL the isolation is "read committed", so enforce rules by constraints, not by reading before
 * writing. `work` may run more than once (after a deadlock, a migration, or when a distributed database asks for it),
 * so it must do nothing but run statements on the transaction it is given. Once a statement has failed, nothing is
 * committed, even if the error was caught (use `on conflict` where a conflict is expected). A statement on another
 * connection would, on SQLite, wait for this very transaction and end as `Unavailable`. If `query` is a transaction
 * already, `work` becomes part of it.
 */
export async function inTransaction<T>(
  query: Kysely<Schema>,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  if (query instanceof Transaction) return work(query)
  for (let attempt = 1; ; attempt++) {
    try {
      return await query.transaction().execute(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !asksForRetry(error)) throw error
    }
  }
}

function asksForRetry(error: unknown): boolean {
  if (isOutdated(error)) return true
  const state = error instanceof Error ? sqlState(error.cause) : undefined
  return state === '40001' || state === '40P01'
}

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
