import { type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../differences.ts'

const NOW: Readonly<Record<DatabaseKind, RawBuilder<number>>> = {
  sqlite: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  postgres: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
}

/** The database's own time as an instant, for queries in which the clocks of nodes must not matter. */
export const databaseNow = (kind: DatabaseKind): RawBuilder<number> => NOW[kind]
