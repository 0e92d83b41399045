/** Counts of rows. */
import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema/schema.ts'

/** Kysely's counts of changed rows, which have a different name for each kind of statement. */
interface Counts {
  readonly numInsertedOrUpdatedRows?: bigint | undefined
  readonly numUpdatedRows?: bigint
  readonly numDeletedRows?: bigint
  readonly numAffectedRows?: bigint
}

/** Whether an `insert … on conflict`, `update` or `delete` changed a row. */
export const anyRowChanged = (counts: Counts): boolean =>
  (counts.numInsertedOrUpdatedRows ??
    counts.numUpdatedRows ??
    counts.numDeletedRows ??
    counts.numAffectedRows ??
    0n) > 0n

/** Counts rows, at most `most`, and reads at most one row beyond that. `more` is true if there are more than `most`. */
export async function countUpTo<Table extends keyof Schema, Row>(
  query: Kysely<Schema>,
  rows: SelectQueryBuilder<Schema, Table, Row>,
  most: number,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const { count } = await query
    .selectFrom(rows.limit(most + 1).as('found'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { count: Math.min(Number(count), most), more: Number(count) > most }
}
