import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema/schema.ts'

/** How many rows are found, at most `most`: no more than one beyond it is looked at. `more`: there are more. */
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
