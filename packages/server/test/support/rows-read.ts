/** Counts the rows that statements read. */
import { PostgresAdapter, sql } from 'kysely'
import type { Database, Schema } from '../../src/database/index.ts'

/**
 * Returns the number of rows of a table that this transaction has read so far. Returns 0 on SQLite, which has no count.
 */
export async function rowsRead(query: Database['query'], table: keyof Schema): Promise<number> {
  if (!(query.getExecutor().adapter instanceof PostgresAdapter)) return 0
  const { rows } = await sql<{ readonly read: string }>`select seq_tup_read + idx_tup_fetch as read
    from pg_stat_xact_user_tables where relname = ${table}`.execute(query)
  return Number(rows[0]?.read)
}
