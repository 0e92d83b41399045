/**
 * Numbered migrations, run at start. The row of `schema_lock` is the lock: whoever updates it first in a
 * transaction works, and another process waits for the end of that transaction. It is plain SQL, which databases
 * without PostgreSQL's advisory locks take too.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Clock, systemClock } from '../../clock.ts'
import { sqlState } from '../away.ts'
import type { Database } from '../database.ts'
import { type DatabaseKind, wordsOf } from '../differences.ts'
import type { Migration } from './migration.ts'
import { migrations as ours } from './migrations/index.ts'
import type { Schema } from './schema.ts'
import { SchemaError } from './schema-error.ts'

interface Options {
  readonly migrations?: readonly Migration[]
  readonly clock?: Clock
  /** Done in the transaction of the migrations, if any ran. */
  readonly also?: (query: Transaction<Schema>, names: readonly string[]) => Promise<void>
}

/** The tables of this file; the rest of the code does not see them. */
interface Bookkeeping {
  schema_lock: { id: number }
  schema_migration: { name: string; ran_at: number }
}

/**
 * "If not exists" does not hold on PostgreSQL for two at once: by the moment, the later one finds a duplicate row in
 * the catalogue, a table or a type. The table is there then.
 */
const LOST_TO_ANOTHER: ReadonlySet<string> = new Set(['23505', '42P07', '42710'])

/**
 * Brings the schema up to date and returns the names of the migrations that ran: all of them or, if one fails,
 * none. Of several processes that start at once one does the work and the others return `[]` after it.
 * Throws {@link SchemaError} `schema-too-new` if newer code has taken away what this code needs.
 */
export async function migrate(
  database: Database,
  { migrations = ours, clock = systemClock, also }: Options = {},
): Promise<string[]> {
  return database.unhurried(async (query) => {
    const bookkeeping = query as unknown as Kysely<Bookkeeping>
    await createBookkeeping(bookkeeping, database.kind)
    return bookkeeping.transaction().execute(async (transaction) => {
      await takeLock(transaction)
      const done = await namesOf(transaction)
      refuseNewer(done, migrations)
      const missing = migrations.filter(({ name }) => !done.has(name))
      for (const migration of missing) await run(migration, database.kind, transaction, clock)
      const names = missing.map(({ name }) => name)
      if (names.length > 0) await also?.(transaction as unknown as Transaction<Schema>, names)
      return names
    })
  })
}

/** Of this code, in the order they run. */
export const migrationNames: readonly string[] = ours.map(({ name }) => name)

/** Makes the row that {@link lockSchema} locks. Not in a transaction: whoever loses to another process ends one. */
export async function prepareSchemaLock(query: Kysely<Schema>, kind: DatabaseKind): Promise<void> {
  await createBookkeeping(query as unknown as Kysely<Bookkeeping>, kind)
}

/** Nobody migrates before the transaction ends. */
export async function lockSchema(query: Transaction<Schema>): Promise<void> {
  await takeLock(query as unknown as Transaction<Bookkeeping>)
}

/** A migration as it will run. */
export interface PlannedMigration {
  readonly name: string
  /** Takes away what releases before it use: none of them may run any more. */
  readonly contracts: boolean
  readonly statements: readonly string[]
}

/**
 * What {@link migrate} would run, in order, without running it; `database` undefined: on a new one of this kind.
 * Throws {@link SchemaError} as that does.
 */
export async function planMigrations(
  database: Pick<Database, 'kind' | 'query'> | undefined,
  kind: DatabaseKind,
  { migrations = ours }: Pick<Options, 'migrations'> = {},
): Promise<readonly PlannedMigration[]> {
  const done = new Set(database ? await migrationsDone(database.query, kind) : [])
  refuseNewer(done, migrations)
  const words = wordsOf(kind)
  const missing = migrations
    .filter(({ name }) => !done.has(name))
    .map(({ name, statements }) => ({ name, contracts: contracts(name), statements: statements(words) }))
  if (done.size > 0) return missing
  return [{ name: '0000-bookkeeping', contracts: false, statements: bookkeeping(kind) }, ...missing]
}

/**
 * For commands that leave the schema alone: throws {@link SchemaError} if it is not one that this code works on.
 */
export async function requireCurrentSchema(
  database: Database,
  { migrations = ours }: Pick<Options, 'migrations'> = {},
): Promise<void> {
  const done = await namesOf(database.query as unknown as Kysely<Bookkeeping>).catch((error: unknown) => {
    if (isMissingTable(error)) return new Set<string>()
    throw error
  })
  refuseNewer(done, migrations)
  if (migrations.some(({ name }) => !done.has(name))) {
    throw new SchemaError(
      'schema-too-old',
      done.size === 0
        ? 'The database has no tables of Ratafia yet: run `ratafia migrate`, or start the service once.'
        : 'The schema of the database is older than this version of Ratafia: run `ratafia migrate`.',
    )
  }
}

/** Names of the migrations that ran; none for a database without tables of ours. */
export async function migrationsDone(query: Kysely<Schema>, kind: DatabaseKind): Promise<readonly string[]> {
  // Asked for first: on PostgreSQL a failed statement ends the transaction.
  const { rows } = await (kind === 'sqlite'
    ? sql`select 1 from sqlite_master where name = 'schema_migration'`
    : sql`select 1 where to_regclass('schema_migration') is not null`
  ).execute(query)
  return rows.length === 0 ? [] : [...(await namesOf(query as unknown as Kysely<Bookkeeping>))].sort()
}

/**
 * Inside of a transaction that has the lock: runs what is missing of the migrations of these names, or of all. Throws
 * {@link SchemaError} `schema-too-new` for names nobody knows here, and if more than these have run already.
 */
export async function migrateTo(
  query: Transaction<Schema>,
  kind: DatabaseKind,
  {
    names = migrationNames,
    clock = systemClock,
  }: { readonly names?: readonly string[]; readonly clock?: Clock } = {},
): Promise<void> {
  refuseUnknown(new Set(names), ours)
  const bookkeeping = query as unknown as Transaction<Bookkeeping>
  const done = await namesOf(bookkeeping)
  const more = [...done].filter((name) => !names.includes(name))
  if (more.length > 0) {
    throw new SchemaError(
      'schema-too-new',
      `The database has a newer schema (${more.join(', ')}) than is asked for: take a new database.`,
    )
  }
  for (const migration of ours) {
    if (names.includes(migration.name) && !done.has(migration.name))
      await run(migration, kind, bookkeeping, clock)
  }
}

/** `older` lacks what this code needs; `newer` has it and more; `contracted` has taken some of it away. */
export type SchemaState = 'current' | 'older' | 'newer' | 'contracted'

/** How the schema stands to this code, for a process that runs already: others may have migrated since. */
export async function schemaState(
  database: Database,
  { migrations = ours }: Pick<Options, 'migrations'> = {},
): Promise<SchemaState> {
  const done = await namesOf(database.query as unknown as Kysely<Bookkeeping>).catch((error: unknown) => {
    if (isMissingTable(error)) return new Set<string>()
    throw error
  })
  if (migrations.some(({ name }) => !done.has(name))) return 'older'
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...done].filter((name) => !known.has(name))
  if (unknown.some(contracts)) return 'contracted'
  return unknown.length > 0 ? 'newer' : 'current'
}

async function createBookkeeping(query: Kysely<Bookkeeping>, kind: DatabaseKind): Promise<void> {
  for (const statement of bookkeeping(kind)) {
    await sql
      .raw(statement)
      .execute(query)
      .catch((error: unknown) => {
        if (!LOST_TO_ANOTHER.has(sqlState(error) ?? '')) throw error
      })
  }
}

function bookkeeping(kind: DatabaseKind): readonly string[] {
  const { integer, instant, strict } = wordsOf(kind)
  return [
    `create table if not exists schema_lock (id ${integer} not null primary key)${strict}`,
    `create table if not exists schema_migration (
      name text not null primary key,
      ran_at ${instant} not null
    )${strict}`,
    'insert into schema_lock (id) values (1) on conflict do nothing',
  ]
}

async function takeLock(transaction: Transaction<Bookkeeping>): Promise<void> {
  await transaction.updateTable('schema_lock').set({ id: 1 }).where('id', '=', 1).execute()
}

/** Reads a whole table: it grows by a row with each migration ever written. */
async function namesOf(query: Kysely<Bookkeeping>): Promise<Set<string>> {
  const rows = await query.selectFrom('schema_migration').select('name').execute()
  return new Set(rows.map(({ name }) => name))
}

async function run(
  { name, statements }: Migration,
  kind: DatabaseKind,
  transaction: Transaction<Bookkeeping>,
  clock: Clock,
): Promise<void> {
  for (const statement of statements(wordsOf(kind))) await sql.raw(statement).execute(transaction)
  await transaction.insertInto('schema_migration').values({ name, ran_at: clock().getTime() }).execute()
}

/** `NNNN-contract-what`: the name says it, so that older code, which does not know the migration, can tell. */
const contracts = (name: string): boolean => /^[0-9]+-contract-/.test(name)

/** What only adds to the schema leaves this code working: during a rolling upgrade old and new stand side by side. */
function refuseNewer(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  refuseUnknown(new Set([...done].filter(contracts)), migrations)
}

function refuseUnknown(names: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...names].filter((name) => !known.has(name)).sort()
  if (unknown.length === 0) return
  throw new SchemaError(
    'schema-too-new',
    `The database was migrated by a newer version of Ratafia (${unknown.join(', ')}): ` +
      'start that version, or restore a backup from before.',
  )
}

function isMissingTable(error: unknown): boolean {
  return sqlState(error) === '42P01' || (error instanceof Error && /^no such table: /.test(error.message))
}
