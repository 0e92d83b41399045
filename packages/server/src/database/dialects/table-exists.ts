import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** Whether the schema has this table: for code that runs on the schema of an earlier release, too. */
export async function tableExists(query: Kysely<Schema>, name: keyof Schema): Promise<boolean> {
  const { rows } = await (query.getExecutor().adapter instanceof PostgresAdapter
    ? sql`select 1 where to_regclass(${name}) is not null`
    : sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
  ).execute(query)
  return rows.length > 0
}
