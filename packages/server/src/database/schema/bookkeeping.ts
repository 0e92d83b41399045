/** The tables of the migrations themselves: which ones ran, and the lock that lets one process at a time run them. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { databaseNow } from '../dialects/expressions.ts'
import { type DatabaseKind, wordsOf } from '../differences.ts'
import { sqlState } from '../errors/driver-errors.ts'
import type { Schema } from './schema.ts'

/** The migrations' own tables, which the rest of the code does not see. */
interface Bookkeeping {
  schema_lock: { id: number }
  schema_migration: { name: string; ran_at: number }
}

const bookkeepingOf = (query: Kysely<Schema>) => query as unknown as Kysely<Bookkeeping>

/**
 * Errors of a process that lost a race. On PostgreSQL "if not exists" is not atomic: of two processes at once, the
 * later one may find a duplicate row in the catalogue, a duplicate table or a duplicate type. The table exists then.
 */
const LOST_TO_ANOTHER: ReadonlySet<string> = new Set(['23505', '42P07', '42710'])

/** Creates the row that {@link lockSchema} locks. Losing to another process would abort a transaction around it. */
export async function prepareSchemaLock(query: Kysely<Schema>, kind: DatabaseKind): Promise<void> {
  for (const statement of bookkeepingStatements(kind)) {
    await sql
      .raw(statement)
      .execute(query)
      .catch((error: unknown) => {
        if (!LOST_TO_ANOTHER.has(sqlState(error) ?? '')) throw error
      })
  }
}

/** Prevents other processes from migrating until the transaction ends. */
export async function lockSchema(query: Transaction<Schema>): Promise<void> {
  await bookkeepingOf(query).updateTable('schema_lock').set({ id: 1 }).where('id', '=', 1).execute()
}

export function bookkeepingStatements(kind: DatabaseKind): readonly string[] {
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

export async function recordMigration(
  query: Transaction<Schema>,
  kind: DatabaseKind,
  name: string,
): Promise<void> {
  const values = { name, ran_at: databaseNow(kind) }
  await bookkeepingOf(query).insertInto('schema_migration').values(values).execute()
}

/**
 * Returns the names of the migrations that ran; none in a database without our tables. Throws
 * {@link SchemaError} `schema-too-old` for a database that code from before the first release created.
 */
export async function migrationsDone(query: Kysely<Schema>, kind: DatabaseKind): Promise<readonly string[]> {
  // Look for the table first, because on PostgreSQL a failed statement aborts the transaction.
  const { rows } = await (kind === 'sqlite'
    ? sql`select 1 from sqlite_master where name = 'schema_migration'`
    : sql`select 1 where to_regclass('schema_migration') is not null`
  ).execute(query)
  if (rows.length === 0) return []
  // Reads the whole table, which has only one row for each migration ever written.
  const done = await bookkeepingOf(query).selectFrom('schema_migration').select('name').execute()
  const names = done.map(({ name }) => name).sort()
  if (!isUnreleased(names)) return names
  throw new SchemaError(
    'schema-too-old',
    'The database was created before the first release of Ratafia, and releases cannot use it. Nothing in it was changed. ' +
      'Start with a new database: set RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL.',
  )
}

/** Whether these are migrations from before the first release, whose tables no release knows. */
export const isUnreleased = (names: readonly string[]): boolean => names.includes('0001-first')

/**
 * Thrown when the database's schema does not fit this code or, with `unfit-database`, when the database can't
 * have the schema that this code needs. The message has the remedy.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly code: 'schema-too-new' | 'schema-too-old' | 'wrong-partitions' | 'unfit-database'

  constructor(code: SchemaError['code'], message: string) {
    super(message)
    this.code = code
  }
}
