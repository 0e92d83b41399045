/**
 * Where the statements of a migration differ between the two databases. Queries need none of this: both take
 * `returning`, `on conflict`, `limit` and the rest of plain SQL. Two differences no function hides: `like` ignores the
 * case of ASCII letters on SQLite only, and text sorts by code point on SQLite but by the database's collation on
 * PostgreSQL (sort in code where the order is promised).
 */
export type DatabaseKind = 'sqlite' | 'postgres'

/** The words of a `create table` statement. */
export interface Words {
  readonly bytes: string
  /** Epoch milliseconds. */
  readonly instant: string
  readonly integer: string
  /** A whole number up to 32,767. */
  readonly smallInteger: string
  /** After a column of text in an index: sorts it by code point (`text-order.ts`). */
  readonly bytewise: string
  /** Ends a `create table`: makes SQLite refuse a value whose type is not the column's, as PostgreSQL does. */
  readonly strict: string
  /** In how many partitions a table with a row for each device is made; 0 makes it whole. Always 0 on SQLite. */
  readonly partitions: number
  /** The time in epoch milliseconds, as it is when the expression is evaluated. */
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
