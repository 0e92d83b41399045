/** Removes old rows, a limited number at a time. */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { toInstant } from './instant.ts'
import type { Schema } from './schema/schema.ts'

interface OldRows<Table extends keyof Schema> {
  readonly table: Table
  readonly key: keyof Schema[Table] & string
  /** A column with instants. */
  readonly column: keyof Schema[Table] & string
}

/**
 * Removes at most `limit` rows whose `column` is before that instant, the oldest first. Returns the number of removed
 * rows. An index of `column` finds them, and that of `key` removes them.
 */
export async function removeBefore<Table extends keyof Schema>(
  query: Database['query'],
  { table, key, column }: OldRows<Table>,
  before: Date,
  limit: number,
): Promise<number> {
  const old = sql`select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(column)} < ${toInstant(before)}
    order by ${sql.ref(column)} limit ${limit}`
  const removal = sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${old})`
  const { numAffectedRows = 0n } = await removal.execute(query)
  return Number(numAffectedRows)
}
