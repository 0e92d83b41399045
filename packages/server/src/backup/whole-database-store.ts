/** Reads and writes every row of every table: a backup reads them in pages, and a restore writes them. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Recording } from '../change.ts'
import {
  announceAnything,
  type Database,
  type DatabaseKind,
  describeTables,
  inSnapshot,
  inTransaction,
  isRefusedValue,
  lockSchema,
  type Migration,
  migrateTo,
  migrationsDone,
  migrations as ours,
  prepareSchemaLock,
  presentTables,
  type Schema,
  type Table,
  tableNames,
  toInstant,
} from '../database/index.ts'
import type { BackupRow, Value } from './backup-file.ts'

export { isUnreleased, type Table } from '../database/index.ts'

/** A snapshot of the database. */
export interface Snapshot {
  readonly kind: DatabaseKind
  /** The migrations of this release, in the order they run. */
  readonly ourMigrations: readonly string[]
  /** The names of the migrations that ran; empty if our tables do not exist. */
  readonly migrations: readonly string[]
  /** The tables; each comes after those it refers to. */
  readonly tables: readonly Table[]
  measure(table: Table): Promise<TableSize>
  /** Yields pages in the order of the primary key. Each needs a few megabytes of memory, however large the rows. */
  pages(table: Table, size: TableSize): AsyncGenerator<readonly BackupRow[]>
}

export interface TableSize {
  readonly rows: number
  /** The size in bytes of the strings and blobs of its largest row. */
  readonly widest: number
}

/** The other stores a restore needs, on its transaction. */
export interface ReplacementStores extends Recording {
  readonly sealed: {
    all(): Promise<
      readonly { readonly name: string; readonly purpose: string; readonly sealed: Uint8Array }[]
    >
  }
}

/** A restore in progress, in one transaction, during which no other client reads, writes or migrates. */
export interface Replacement extends ReplacementStores {
  /** The migrations of this release, in the order they run. */
  readonly ourMigrations: readonly string[]
  /** Returns the names of the migrations that ran; none in a database without tables. */
  migrations(): Promise<readonly string[]>
  /** Returns the first table with a row that `ratafia migrate` does not write; undefined for a new database. */
  occupied(): Promise<string | undefined>
  /** Deletes every row. */
  clear(): Promise<void>
  /** Runs these migrations, or all of them. */
  migrate(names?: readonly string[]): Promise<void>
  tables(): Promise<readonly Table[]>
  /** Inserts rows. Returns why the database refuses them, which makes the transaction useless; undefined on success. */
  insert(table: string, columns: readonly string[], rows: readonly BackupRow[]): Promise<string | undefined>
  /** Revokes the sessions that were opened at this instant or later and are not revoked. Returns how many. */
  revokeTokenSessions(since: Date, revoked: { readonly at: Date; readonly by: string }): Promise<number>
}

export interface WholeDatabaseStore {
  /** Reads a snapshot while others write. */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>
  /** Replaces everything or nothing. `work` can run more than once. */
  replace<T>(work: (replacement: Replacement) => Promise<T>): Promise<T>
}

const PAGE = 500
const PAGE_BYTES = 8 * 1024 * 1024
/** The maximum number of parameters in a statement. SQLite allows 32,766, PostgreSQL 65,535. */
const PARAMETERS = 30_000

/** `storesOn` creates the other stores of a restore on its transaction. */
export function wholeDatabaseStore(
  database: Database,
  storesOn: (on: Pick<Database, 'query'>) => ReplacementStores,
  migrations: readonly Migration[] = ours,
): WholeDatabaseStore {
  const { kind } = database
  const schema: SchemaOf = {
    kind,
    migrations,
    ourMigrations: migrations.map(({ name }) => name),
    ourTables: tableNames(kind, migrations),
  }
  const { ourMigrations, ourTables } = schema
  return {
    read: (work) =>
      inSnapshot(database, async (query) =>
        work({
          kind,
          ourMigrations,
          migrations: await migrationsDone(query, kind),
          tables: await describeTables(query, kind, ourTables),
          measure: (table) => measure(query, table),
          pages: (table, size) => pages(query, table, size),
        }),
      ),
    replace: (work) =>
      database.locking(async (query) => {
        // Refuse a database from before the first release before anything is created or locked.
        await migrationsDone(query, kind)
        await prepareSchemaLock(query, kind)
        return inTransaction(query, async (transaction) => {
          await lockAll(transaction, schema)
          const replaced = await work({
            ...replacement(transaction, schema),
            ...storesOn({ query: transaction }),
          })
          // Announce only once the schema is up to date: an older backup's schema announces less, or nothing.
          await announceAnything(transaction)
          return replaced
        })
      }),
  }
}

/** The schema of this release. */
interface SchemaOf {
  readonly kind: DatabaseKind
  readonly migrations: readonly Migration[]
  /** The names of `migrations`. */
  readonly ourMigrations: readonly string[]
  /** The tables; each comes after those it refers to. */
  readonly ourTables: readonly string[]
}

/** Freezes the tables, so that a node that starts now waits. On SQLite the transaction is enough. */
async function lockAll(query: Transaction<Schema>, { kind, ourTables }: SchemaOf): Promise<void> {
  await lockSchema(query)
  if (kind === 'sqlite') return
  const names = await presentTables(query, kind, ourTables)
  if (names.length === 0) return
  await sql`lock table ${sql.join(names.map((name) => sql.table(name)))} in access exclusive mode`.execute(
    query,
  )
}

async function measure(query: Kysely<Schema>, { name, columns }: Table): Promise<TableSize> {
  const lengths = columns
    .filter(({ kind }) => kind === 'text' || kind === 'bytes')
    .map((column) => sql`coalesce(octet_length(${sql.ref(column.name)}), 0)`)
  const width = lengths.length === 0 ? sql`0` : sql.join(lengths, sql` + `)
  // Reads the whole table, which can't be avoided.
  const { rows } = await sql<{ count: number | string; widest: number | string | null }>`
    select count(*) as count, max(${width}) as widest from ${sql.table(name)}
  `.execute(query)
  return { rows: Number(rows[0]?.count ?? 0), widest: Number(rows[0]?.widest ?? 0) }
}

async function* pages(
  query: Kysely<Schema>,
  table: Table,
  { widest }: TableSize,
): AsyncGenerator<readonly BackupRow[]> {
  const most = Math.max(1, Math.min(PAGE, Math.floor(PAGE_BYTES / Math.max(1, widest))))
  const names = table.columns.map(({ name }) => name)
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const key = sql.join(table.primaryKey.map((name) => sql.ref(name)))
  if (table.primaryKey.length === 0) throw new TypeError(`The table ${table.name} has no primary key.`)
  let last: Readonly<Record<string, Value>> | undefined
  for (;;) {
    // Uses the primary key, in its order.
    const after = last
      ? sql`where (${key}) > (${sql.join(table.primaryKey.map((name) => last?.[name]))})`
      : sql``
    const { rows } = await sql<Record<string, Value>>`
      select ${columns} from ${sql.table(table.name)} ${after} order by ${key} limit ${sql.lit(most)}
    `.execute(query)
    if (rows.length > 0) yield rows.map((row) => names.map((name) => row[name] ?? null))
    if (rows.length < most) return
    last = rows.at(-1)
  }
}

function replacement(
  query: Transaction<Schema>,
  { kind, migrations, ourMigrations, ourTables }: SchemaOf,
): Omit<Replacement, keyof ReplacementStores> {
  const tables = () => describeTables(query, kind, ourTables)
  return {
    tables,

    ourMigrations,

    migrations: () => migrationsDone(query, kind),

    async occupied() {
      for (const { name } of await tables()) {
        // `ratafia migrate` leaves entries in a new database.
        if (name === 'audit_entry') continue
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
      // Delete rows before those they refer to.
      for (const name of names.toReversed()) await sql`delete from ${sql.table(name)}`.execute(query)
    },

    migrate: (names) => migrateTo(query, kind, { migrations, ...(names && { names }) }),

    async insert(table, columns, rows) {
      const step = Math.max(1, Math.floor(PARAMETERS / columns.length))
      for (let start = 0; start < rows.length; start += step) {
        const values = rows.slice(start, start + step).map((row) => sql`(${sql.join([...row])})`)
        const into = sql.join(columns.map((column) => sql.ref(column)))
        try {
          await sql`insert into ${sql.table(table)} (${into}) values ${sql.join(values)}`.execute(query)
        } catch (error) {
          if (isRefusedValue(error)) return error.message
          throw error
        }
      }
      return undefined
    },

    async revokeTokenSessions(since, { at, by }) {
      // Reads the whole table, once.
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
