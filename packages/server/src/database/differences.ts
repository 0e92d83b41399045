/**
 * The differences between the two databases in the statements of migrations. Queries don't need them: both
 * databases support `returning`, `on conflict`, `limit` and the rest of plain SQL. No function hides two
 * differences: `like` ignores the case of ASCII letters on SQLite only, and text sorts by code point on
 * SQLite but by the database's collation on PostgreSQL. Where the order is promised, sort in code.
 */
export type DatabaseKind = 'sqlite' | 'postgres'

/** The parts of a `create table` statement that differ. */
export interface Words {
  readonly bytes: string
  /** Epoch milliseconds. */
  readonly instant: string
  readonly integer: string
  /** A whole number up to 32,767. */
  readonly smallInteger: string
  /** Follows a text column in an index, which then sorts it by code point (`byteOrder`). */
  readonly bytewise: string
  /** Ends a `create table`. It makes SQLite refuse a value whose type is not the column's, as PostgreSQL does. */
  readonly strict: string
  /** The number of partitions of a table with a row for each device; 0 for an undivided table. Always 0 on SQLite. */
  readonly partitions: number
  /** The time in epoch milliseconds when the expression is evaluated. */
  readonly now: string
  /** Whether the database has LISTEN, NOTIFY and PL/pgSQL. */
  readonly notifies: boolean
}

const WORDS: Readonly<Record<DatabaseKind, Omit<Words, 'partitions'>>> = {
  sqlite: {
    bytes: 'blob',
    instant: 'integer',
    integer: 'integer',
    smallInteger: 'integer',
    bytewise: '',
    strict: ' strict',
    now: "unixepoch('subsec') * 1000",
    notifies: false,
  },
  postgres: {
    bytes: 'bytea',
    instant: 'bigint',
    integer: 'integer',
    smallInteger: 'smallint',
    bytewise: ' collate "C"',
    strict: '',
    now: 'extract(epoch from clock_timestamp()) * 1000',
    notifies: true,
  },
}

export function wordsOf(kind: DatabaseKind, partitions = 0): Words {
  return { ...WORDS[kind], partitions }
}
