import { type Kysely, Transaction } from 'kysely'
import type { Database } from './database.ts'
import { isOutdated } from './errors/away.ts'
import { sqlState } from './errors/driver-errors.ts'
import type { Schema } from './schema/schema.ts'

const ATTEMPTS = 5

/**
 * Runs `work` in one transaction, which stores everything or, if `work` throws, nothing. On SQLite, writers
 * run one after the other. On PostgreSQL the isolation is "read committed", so enforce rules by constraints,
 * not by reading before writing. `work` can run more than once (after a deadlock or a migration, or when a
 * distributed database asks for it), so it must only run statements on the transaction it is given. After a
 * failed statement nothing is committed, even if the error was caught; use `on conflict` where you expect a
 * conflict. On SQLite, a statement on another connection would wait for this transaction and throw
 * `Unavailable`. If `query` is already a transaction, `work` becomes part of it.
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
 * Runs `work` on a snapshot, without a time limit, while others write: all its statements see the same rows.
 * Use the rows only once this resolves, because only then is it certain that PostgreSQL was still the
 * primary. Meanwhile SQLite can't truncate its write-ahead log, and PostgreSQL can't remove dead rows.
 */
export function inSnapshot<T>(
  database: Pick<Database, 'unhurried'>,
  work: (query: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return database.unhurried((query) =>
    query.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
  )
}
