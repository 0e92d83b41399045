/** Finds serials by any part of them, by the index that `schema/statements/serial-parts.ts` makes. */
import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** How many characters of a serial an entry of the index has. */
const PART = 3
/** SQLite finds a longer text by its end: it reads one more list of devices for each character more. */
const END = 9

const isPostgres = (query: Kysely<Schema>): boolean => query.getExecutor().adapter instanceof PostgresAdapter

/** Whether a column contains the text; capitals count. The name of the column is ours. */
export const contains = (query: Kysely<Schema>, column: string, text: string): RawBuilder<boolean> =>
  isPostgres(query)
    ? sql<boolean>`strpos(${sql.ref(column)}, ${text}) > 0`
    : sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`

/** Finds devices by the index. */
interface ByParts {
  /** Rows of `device`, under that name, read as they are asked for. */
  readonly from: RawBuilder<unknown>
  /** Whether a row of `device` is among them, of whatever brand. */
  readonly has: RawBuilder<boolean>
}

/**
 * All whose serial contains the text, and some that have its parts elsewhere or only contain its end. Undefined for a text that is
 * too short for the index.
 */
export function devicesByParts(
  query: Kysely<Schema>,
  text: string,
  brandId: string | undefined,
): ByParts | undefined {
  const characters = [...text]
  if (characters.length < PART) return undefined
  if (isPostgres(query)) {
    const parts = partsOf(characters)
    const wanted = brandId === undefined ? parts : [...parts, `brand ${brandId}`]
    return {
      // Index device_serial_parts. Planned by itself: for the first few a planner would read the table.
      from: sql`(with found as materialized (
          select * from device where serial_parts(serial, brand_id) @> ${wanted}
        ) select * from found) as device`,
      has: sql<boolean>`serial_parts(device.serial, device.brand_id) @> ${parts}`,
    }
  }
  const number = (bound: string) =>
    sql`(select number ${sql.raw(bound)} from searched_brand where brand_id = ${brandId})`
  const end = characters.slice(-END).join('')
  const ofBrand =
    brandId === undefined ? sql`` : sql`and rowid between ${number('<< 40')} and ${number('+ 1 << 40')} - 1`
  return {
    from: sql`(select device.* from (
        select device_id from searched_serial where serial match ${`"${end.replaceAll('"', '""')}"`} ${ofBrand}
      ) as found cross join device on device.id = found.device_id) as device`,
    has: contains(query, 'device.serial', end),
  }
}

/** Every second one, and the last: each more is one more list of devices to read, and these have each pair of characters. */
function partsOf(characters: readonly string[]): readonly string[] {
  const last = characters.length - PART
  const starts = Array.from({ length: Math.ceil(last / 2) }, (_, index) => index * 2)
  return [...new Set([...starts, last].map((at) => characters.slice(at, at + PART).join('')))]
}
