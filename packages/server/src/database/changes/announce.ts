/**
 * Announces changes from the stores, beside the triggers: so nodes receive them where triggers reach none. It takes a
 * transaction, that of the change: so a change that is made is announced, and one that is rolled back is not. On SQLite
 * it does nothing: there triggers always run, in the process that makes the change.
 */
import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import { anyRowChanged } from '../changed-rows.ts'
import type { Schema } from '../schema/schema.ts'
import { inTransaction } from '../transaction.ts'
import type { ChangeKind, RowChange } from './row-change.ts'

/** Announces that each of these rows was changed or removed or, where the kind includes that, added. */
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

/** Makes a change of one row and, if it changed, announces it: in one transaction. Returns whether it changed. */
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
  if (!(query.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`select ratafia_announce_change(change)
    from json_array_elements_text(${JSON.stringify(changes)}::json) as change`.execute(query)
}
