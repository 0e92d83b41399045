/**
 * Announces changes from the stores, as well as the triggers, so that nodes also receive them where triggers reach
 * none. Callers pass the transaction of the change, so a change is announced exactly if it is committed. On SQLite this
 * does nothing, because triggers always run there, in the process that makes the change.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { anyRowChanged } from '../counts.ts'
import { isPostgres } from '../dialects/expressions.ts'
import type { Schema } from '../schema/schema.ts'
import { inTransaction } from '../transaction.ts'
import type { ChangeKind, RowChange } from './row-change.ts'

/** Announces that these rows were changed or removed or, for kinds that include it, added. */
export async function announce(
  query: Transaction<Schema>,
  kind: ChangeKind,
  ids: readonly string[],
): Promise<void> {
  const changes = ids.map((id) => `${kind} ${id}`)
  if (changes.length > 0) await announceEach(query, changes)
}

/** Announces that any row may have changed. */
export const announceAnything = (query: Transaction<Schema>): Promise<void> =>
  announceEach(query, ['anything'])

/** A statement of Kysely's. */
interface Change {
  executeTakeFirst(): Promise<Parameters<typeof anyRowChanged>[0]>
}

/** Changes one row and announces it if it changed, in one transaction. Returns whether it changed. */
export function changeAnnounced(
  query: Kysely<Schema>,
  { kind, id }: RowChange,
  change: (query: Transaction<Schema>) => Change,
): Promise<boolean> {
  return inTransaction(query, async (transaction) => {
    const changed = anyRowChanged(await change(transaction).executeTakeFirst())
    if (changed) await announce(transaction, kind, [id])
    return changed
  })
}

async function announceEach(query: Transaction<Schema>, changes: readonly string[]): Promise<void> {
  if (!isPostgres(query)) return
  await sql`select ratafia_announce_change(change)
    from json_array_elements_text(${JSON.stringify(changes)}::json) as change`.execute(query)
}
