/**
 * The file of a backup: the same for both databases, so that it is also the way from one to the other. It is gzip, and
 * in it lines of JSON, one after the other, so that neither side needs more memory than some rows take:
 *
 *   {"ratafia-backup":1,"release":…,"made_at":…,"database":"sqlite"|"postgres","migrations":[…]}
 *   {"table":"account","columns":[["id","text"],["created_at","integer"],…]}     then its rows, by primary key:
 *   ["…",1795213007995,null,…]                                                  bytes in base64
 *   {"table":…}                                                                 in an order that foreign keys allow
 *   {"end":true,"tables":24,"rows":1234,"sha256":"…"}                           of all bytes before this line
 *
 * What is sealed in the database is sealed here. The last line tells a whole file from one that was cut short; it does
 * not tell who made it. What comes from a file is hostile until it fits these rules and the schema.
 */
export const FORMAT = 1

export type Value = string | number | Uint8Array | null
export type Row = readonly Value[]
export type Kind = 'text' | 'integer' | 'bytes' | 'real'

export interface Header {
  readonly release: string
  /** ISO 8601. */
  readonly madeAt: string
  readonly database: string
  readonly migrations: readonly string[]
}

export interface TableHead {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly kind: Kind }[]
}

export interface Totals {
  readonly tables: number
  readonly rows: number
}

/** No row of ours is near it: the largest are requests and assertions of some megabytes. */
export const LINE_BYTES = 32 * 1024 * 1024

export const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
