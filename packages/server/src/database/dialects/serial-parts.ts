/** Finds serials by any part of them, by the index that `schema/statements/serial-parts.ts` makes. */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** How many characters of a serial an entry of the index has. */
const PART = 3

const isPostgres = (query: Kysely<Schema>): boolean => query.getExecutor().adapter instanceof PostgresAdapter

/** Whether a column contains the text; capitals count. The name of the column is ours. */
export const contains = (query: Kysely<Schema>, column: string, text: string): RawBuilder<boolean> =>
  isPostgres(query)
    ? sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`
    : sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`

/**
 * Rows of `device`, under that name, read as they are asked for: all whose serial contains the text and, on PostgreSQL,
 * some that have its parts in another order. Undefined for a text that is too short for the index.
 */
export function devicesWithPart(
  query: Kysely<Schema>,
  text: string,
  brandId: string | undefined,
): RawBuilder<unknown> | undefined {
  const characters = [...text]
  if (characters.length < PART) return undefined
  if (isPostgres(query)) {
    const parts = characters.slice(PART - 1).map((_, at) => characters.slice(at, at + PART).join(''))
    const wanted = [...new Set(parts), ...(brandId === undefined ? [] : [`brand ${brandId}`])]
    // Index device_serial_parts. Planned by itself: for the first few a planner would read the table.
    return sql`(with found as materialized (
        select * from device where serial_parts(serial, brand_id) @> ${wanted}
      ) select * from found) as device`
  }
  const number = (end: string) =>
    sql`(select number ${sql.raw(end)} from searched_brand where brand_id = ${brandId})`
  const ofBrand =
    brandId === undefined ? sql`` : sql`and rowid between ${number('<< 40')} and ${number('+ 1 << 40')} - 1`
  return sql`(select device.* from (
      select device_id from searched_serial where serial match ${`"${text.replaceAll('"', '""')}"`} ${ofBrand}
    ) as found cross join device on device.id = found.device_id) as device`
}
