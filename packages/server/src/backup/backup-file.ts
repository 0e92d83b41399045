/**
 * The format of a backup file. It is the same for both databases, so a backup can also move data from one to
 * the other. It is gzip around lines of JSON, so neither side needs more memory than a few rows:
 *
 *   {"ratafia-backup":1,"release":…,"made_at":…,"database":"sqlite"|"postgres","migrations":[…]}
 *   {"table":"account","columns":[["id","text"],["created_at","integer"],…]}     then its rows, by primary key:
 *   ["…",1795213007995,null,…]                                                  bytes in base64
 *   {"table":…}                                                                 in an order that foreign keys allow
 *   {"end":true,"tables":24,"rows":1234,"sha256":"…","seal":"…"}                of all bytes before this line
 *
 * Values sealed in the database stay sealed here. The checksum distinguishes a whole file from one that was
 * cut short. The seal is that checksum, sealed under the installation's secret key (`keyring/sealing.ts`).
 * Only a holder of the key can create a file that a restore accepts by default. The contents of a file are
 * hostile until they fit these rules and the schema.
 */
export const FORMAT = 1

export type Value = string | number | Uint8Array | null
export type BackupRow = readonly Value[]
export type Kind = 'text' | 'integer' | 'bytes' | 'real'

export interface Header {
  readonly release: string
  /** When the backup was made, in ISO 8601. */
  readonly madeAt: string
  readonly database: string
  readonly migrations: readonly string[]
}

export interface TableHead {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly kind: Kind }[]
}

/** The end of a file. */
export interface Ending {
  /** SHA-256 of all bytes before the last line. */
  readonly digest: Buffer
  readonly seal: Buffer | undefined
}

export interface Totals {
  readonly tables: number
  readonly rows: number
}

/** The longest line. None of our rows comes close: the largest are requests and assertions of a few megabytes. */
export const LINE_BYTES = 32 * 1024 * 1024

export const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
