import { type Kysely, Transaction } from 'kysely'
import { sqlState } from './away.ts'
import type { Schema } from './schema/schema.ts'

const ATTEMPTS = 5

/**
 * Runs `work` in one transaction: all of it is stored, or nothing if it throws. On SQLite writers come one after
 * the other; on PostgreSQL the isolation is "read committed", so rules belong in constraints, not in a read
 * before a write. `work` may run more than once (a distributed database asks for it, and so does a deadlock):
 * it does nothing but statements of the transaction it is given. After a statement that failed nothing is
 * committed, also if the error was caught (use `on conflict` where a conflict is expected). A statement on
 * another connection inside of it would wait for itself on SQLite and end as `Unavailable`. On a transaction `work`
 * becomes a part of it, and stands or falls with it.
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
  const state = error instanceof Error ? sqlState(error.cause) : undefined
  return state === '40001' || state === '40P01'
}
