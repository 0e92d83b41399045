import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema/schema.ts'

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
