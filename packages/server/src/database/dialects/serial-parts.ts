/** Finds serials by any part of them, with the index that `schema/statements/serial-parts.ts` creates. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../schema/schema.ts'
import { contains, isPostgres } from './expressions.ts'

/** How many characters of a serial are in one entry of the index. */
const PART = 3
/** SQLite searches only this many last characters of a string: each further one is one more list to read. */
const END = 9

/** The two forms in which a query can use the index. */
interface ByParts {
  /** Rows of `device`, under that name, read on demand. */
  readonly from: RawBuilder<unknown>
  /** Whether a row of `device` is among them, of any brand. */
  readonly has: RawBuilder<boolean>
}

/**
 * Finds all devices whose serial contains the text, and some whose serial has its parts elsewhere or only
 * contains its end. Undefined for a string that is too short for the index.
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
      // Uses the index device_serial_parts. It is planned separately: for a few first rows a planner would
      // read the table.
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

/** Every second part, and the last one: each is one more list to read, and these contain every pair of characters. */
function partsOf(characters: readonly string[]): readonly string[] {
  const last = characters.length - PART
  const starts = Array.from({ length: Math.ceil(last / 2) }, (_, index) => index * 2)
  return [...new Set([...starts, last].map((at) => characters.slice(at, at + PART).join('')))]
}
