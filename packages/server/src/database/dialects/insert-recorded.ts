/** Inserts rows with their entries in the audit log. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { compiledOnce, type Values } from '../compiled-once.ts'
import type { AuditEntryTable, Schema } from '../schema/schema.ts'
import { inTransaction } from '../transaction.ts'
import { insertsInWith } from './expressions.ts'
import { listed, listOf } from './listed.ts'

/** An entry that is not linked to the chain yet. */
export type NewAuditEntry = Omit<AuditEntryTable, 'seq' | 'previous_hash' | 'hash'>

const ENTRY = {
  id: 'text',
  at: 'bigint',
  actor: 'text',
  source: 'text',
  action: 'text',
  subject: 'text',
  details: 'text',
} as const

/**
 * Returns a function that inserts rows and adds their entries. `insert` is built once; it inserts the rows and returns
 * the `subject` of each inserted one. Only entries of those subjects are added. On PostgreSQL all is one statement.
 * SQLite has no inserts in a `with`, so it uses a transaction. The function returns the subjects.
 */
export function insertRecorded<Given extends Values>(
  insert: (query: Kysely<Schema>, values: Given) => RawBuilder<Recorded>,
): (query: Kysely<Schema>, values: Given, entries: readonly NewAuditEntry[]) => Promise<ReadonlySet<string>> {
  const alone = compiledOnce(insert)
  const withEntries = compiledOnce(
    (query, values: Given & Listed) => sql<Recorded>`with inserted as (${insert(query, values)})
      ${insertEntries(query, values)} join inserted on inserted.subject = entry.subject
      returning subject`,
  )
  return async (query, values, entries) => {
    if (insertsInWith(query)) {
      const { rows } = await withEntries(query, { ...values, entries: listOf(ENTRY, entries) })
      return new Set(rows.map(({ subject }) => subject))
    }
    return inTransaction(query, async (transaction) => {
      const { rows } = await alone(transaction, values)
      const inserted = new Set(rows.map(({ subject }) => subject))
      const recorded = entries.filter(({ subject }) => inserted.has(subject))
      if (recorded.length > 0) await addEntries(transaction, { entries: listOf(ENTRY, recorded) })
      return inserted
    })
  }
}

interface Recorded {
  readonly subject: string
}

interface Listed extends Values {
  readonly entries: string
}

const insertEntries = (query: Kysely<Schema>, { entries }: Listed): RawBuilder<unknown> => {
  const columns = Object.keys(ENTRY)
  return sql`insert into ${sql.table('audit_entry')} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => sql.ref(`entry.${column}`)))}
    from ${listed(query, 'entry', ENTRY, entries)}`
}

const addEntries = compiledOnce(insertEntries)
