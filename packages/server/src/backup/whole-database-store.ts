/** Every row of every table, out in pages and in again: what a backup reads and a restore writes. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Recording } from '../change.ts'
import {
  type Database,
  type DatabaseKind,
  describeTables,
  inSnapshot,
  inTransaction,
  migrateTo,
  migrationsDone,
  type Schema,
  seededTables,
  type Table,
  tableNames,
  toInstant,
} from '../database/index.ts'

type Value = string | number | Uint8Array | null
type Row = readonly Value[]

/** The database at one moment. */
export interface Snapshot {
  readonly kind: DatabaseKind
  /** By name; empty where there are no tables of ours. */
  readonly migrations: readonly string[]
  /** What a row refers to is in a table before it. */
  readonly tables: readonly Table[]
  count(table: Table): Promise<number>
  /** By primary key. */
  pages(table: Table): AsyncGenerator<readonly Row[]>
}

/** A restore that is going on, in one transaction. */
export interface Replacement extends Recording {
  /** The first table with a row that no migration left; undefined for a new database. */
  occupied(): Promise<string | undefined>
  /** Deletes every row. */
  clear(): Promise<void>
  /** Brings the schema to where these migrations are done, or to the newest. */
  migrate(names?: readonly string[]): Promise<void>
  tables(): Promise<readonly Table[]>
  insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>
  sealCheck(): Promise<Uint8Array | undefined>
  /** Revokes what was opened at this instant or later and is not revoked. Returns how many. */
  revokeTokenSessions(since: Date, revoked: { readonly at: Date; readonly by: string }): Promise<number>
}

export interface WholeDatabaseStore {
  /** While others write. */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>
  /** All of it or nothing. */
  replace<T>(work: (replacement: Replacement) => Promise<T>): Promise<T>
}

const PAGE = 500
/** SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535. */
const PARAMETERS = 30_000

/** `recordingOn` makes the log of changes on a transaction. */
export function wholeDatabaseStore(
  database: Database,
  recordingOn: (on: Pick<Database, 'query'>) => Recording,
): WholeDatabaseStore {
  const { kind } = database
  return {
    read: (work) =>
      inSnapshot(database, async (query) =>
        work({
          kind,
          migrations: await migrationsDone(query, kind),
          tables: await describeTables(query, kind, tableNames(kind)),
          count: (table) => countRows(query, table),
          pages: (table) => pages(query, table),
        }),
      ),
    replace: (work) =>
      database.unhurried((query) =>
        inTransaction(query, (transaction) =>
          work({ ...replacement(transaction, kind), ...recordingOn({ query: transaction }) }),
        ),
      ),
  }
}

async function countRows(query: Kysely<Schema>, { name }: Table): Promise<number> {
  // The whole table, of necessity.
  const { rows } = await sql<{
    count: number | string
  }>`select count(*) as count from ${sql.table(name)}`.execute(query)
  return Number(rows[0]?.count ?? 0)
}

async function* pages(query: Kysely<Schema>, table: Table): AsyncGenerator<readonly Row[]> {
  const names = table.columns.map(({ name }) => name)
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const key = sql.join(table.primaryKey.map((name) => sql.ref(name)))
  if (table.primaryKey.length === 0) throw new TypeError(`The table ${table.name} has no primary key.`)
  let last: Readonly<Record<string, Value>> | undefined
  for (;;) {
    // Primary key, in its order.
    const after = last
      ? sql`where (${key}) > (${sql.join(table.primaryKey.map((name) => last?.[name]))})`
      : sql``
    const { rows } = await sql<Record<string, Value>>`
      select ${columns} from ${sql.table(table.name)} ${after} order by ${key} limit ${sql.lit(PAGE)}
    `.execute(query)
    if (rows.length > 0) yield rows.map((row) => names.map((name) => row[name] ?? null))
    if (rows.length < PAGE) return
    last = rows.at(-1)
  }
}

function replacement(query: Transaction<Schema>, kind: DatabaseKind): Omit<Replacement, keyof Recording> {
  const tables = () => describeTables(query, kind, tableNames(kind))
  return {
    tables,

    async occupied() {
      const seeded = seededTables(kind)
      // What `ratafia migrate` leaves in a new database.
      seeded.add('audit_entry')
      for (const { name } of await tables()) {
        if (seeded.has(name)) continue
        const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(query)
        if (rows.length > 0) return name
      }
      return undefined
    },

    async clear() {
      const names = (await tables()).map(({ name }) => name)
      if (kind === 'postgres' && names.length > 0) {
        await sql`truncate table ${sql.join(names.map((name) => sql.table(name)))}`.execute(query)
        return
      }
      // Rows before what they refer to.
      for (const name of names.toReversed()) await sql`delete from ${sql.table(name)}`.execute(query)
    },

    migrate: (names) => migrateTo(query, kind, names ? { names } : {}),

    async insert(table, columns, rows) {
      const step = Math.max(1, Math.floor(PARAMETERS / columns.length))
      for (let start = 0; start < rows.length; start += step) {
        const values = rows.slice(start, start + step).map((row) => sql`(${sql.join([...row])})`)
        const into = sql.join(columns.map((column) => sql.ref(column)))
        await sql`insert into ${sql.table(table)} (${into}) values ${sql.join(values)}`.execute(query)
      }
    },

    async sealCheck() {
      const row = await query.selectFrom('seal_check').select('sealed').where('id', '=', 1).executeTakeFirst()
      return row?.sealed
    },

    async revokeTokenSessions(since, { at, by }) {
      // The whole table, once.
      const { numUpdatedRows } = await query
        .updateTable('token_session')
        .set({ revoked_at: toInstant(at), revoked_by: by })
        .where('revoked_at', 'is', null)
        .where('created_at', '>=', toInstant(since))
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}
