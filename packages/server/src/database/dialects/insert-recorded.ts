/** Inserts rows with their entries in the audit log. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { AuditEntryTable, Schema } from '../schema/schema.ts'
import { inTransaction } from '../transaction.ts'
import { insertMany } from './insert-many.ts'
import { insertsInWith } from './inserts-in-with.ts'
import { listed } from './listed.ts'

/** An entry that is not linked to the chain yet. */
export type NewAuditEntry = Omit<AuditEntryTable, 'seq' | 'previous_hash' | 'hash'>

const COLUMNS = {
  id: 'text',
  at: 'bigint',
  actor: 'text',
  source: 'text',
  action: 'text',
  subject: 'text',
  details: 'text',
} as const

/**
 * Runs `insert`, which returns the `subject` of each row that it has inserted, and adds the entries of those subjects
 * alone: one statement on PostgreSQL. SQLite has no inserts in a `with`, so there it is a transaction. Returns the
 * subjects.
 */
export async function insertRecorded(
  query: Kysely<Schema>,
  insert: RawBuilder<{ readonly subject: string }>,
  entries: readonly NewAuditEntry[],
): Promise<ReadonlySet<string>> {
  if (!insertsInWith(query)) {
    return inTransaction(query, async (transaction) => {
      const { rows } = await insert.execute(transaction)
      const inserted = new Set(rows.map(({ subject }) => subject))
      const recorded = entries.filter(({ subject }) => inserted.has(subject))
      if (recorded.length > 0) await insertMany(transaction, 'audit_entry', recorded).execute()
      return inserted
    })
  }
  const columns = Object.keys(COLUMNS)
  const { rows } = await sql<{ subject: string }>`with inserted as (${insert})
    insert into ${sql.table('audit_entry')} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => sql.ref(`entry.${column}`)))}
    from ${listed(query, 'entry', COLUMNS, entries)} join inserted on inserted.subject = entry.subject
    returning subject
  `.execute(query)
  return new Set(rows.map(({ subject }) => subject))
}
