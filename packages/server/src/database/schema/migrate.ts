/**
 * Numbered migrations, run at start. The row of `schema_lock` is the lock: the first process to update it in
 * a transaction does the work, and others wait for that transaction to end. It is plain SQL, so it also works
 * on databases without PostgreSQL's advisory locks.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import { type DatabaseKind, type Words, wordsOf } from '../differences.ts'
import {
  bookkeepingStatements,
  lockSchema,
  migrationsDone,
  prepareSchemaLock,
  recordMigration,
  SchemaError,
} from './bookkeeping.ts'
import { partitionsOf } from './catalogue.ts'
import type { Migration } from './migration.ts'
import { schema } from './migrations/0001-schema.ts'
import { migrations as ours } from './migrations/index.ts'
import type { Schema } from './schema.ts'
import { contracts, refuseNewer, refuseUnknown } from './schema-state.ts'

interface Options {
  readonly migrations?: readonly Migration[]
  /** The number of partitions of PostgreSQL's tables with rows for each device, fixed from then on. Default: 0. */
  readonly partitions?: number
  /** Runs in the transaction of the migrations, if any ran. */
  readonly also?: (query: Transaction<Schema>, names: readonly string[]) => Promise<void>
}

/**
 * Brings the schema up to date and returns the names of the migrations that ran: all of them or, if one fails, none. If
 * several processes start at once, one does the work and the others return `[]` after it. On PostgreSQL it starts over
 * while others hold locks on its tables, so statements queued behind it wait a second at most. Throws {@link
 * SchemaError} `schema-too-new` if newer code has dropped something this code needs, `schema-too-old` for a database
 * from before the first release, `wrong-partitions` if those tables exist and are divided differently.
 */
export async function migrate(
  { kind, locking }: Database,
  { migrations = ours, partitions = 0, also }: Options = {},
): Promise<string[]> {
  if (partitions > 0) requirePostgres(kind)
  return locking(async (query) => {
    // Refuse a database from before the first release before anything is created or locked.
    await migrationsDone(query, kind)
    await prepareSchemaLock(query, kind)
    return query.transaction().execute(async (transaction) => {
      await lockSchema(transaction)
      const done = new Set(await migrationsDone(transaction, kind))
      refuseNewer(done, migrations)
      if (partitions > 0 && done.has(schema.name)) await requirePartitions(transaction, kind, partitions)
      const missing = migrations.filter(({ name }) => !done.has(name))
      await runAll(missing, { kind, words: wordsOf(kind, partitions) }, transaction)
      const names = missing.map(({ name }) => name)
      if (names.length > 0) await also?.(transaction, names)
      return names
    })
  })
}

/** A migration as it will run. */
export interface PlannedMigration {
  readonly name: string
  /** Whether it drops something that earlier releases use, so that none of them may run after it. */
  readonly contracts: boolean
  readonly statements: readonly string[]
}

/**
 * Returns the migrations that {@link migrate} would run, in order, without running them. With `database`
 * undefined, they are those for a new database of this kind. Throws {@link SchemaError} as `migrate` does.
 */
export async function planMigrations(
  database: Pick<Database, 'kind' | 'query'> | undefined,
  kind: DatabaseKind,
  { migrations = ours, partitions = 0 }: Pick<Options, 'migrations' | 'partitions'> = {},
): Promise<readonly PlannedMigration[]> {
  if (partitions > 0) requirePostgres(kind)
  const done = new Set(database ? await migrationsDone(database.query, kind) : [])
  refuseNewer(done, migrations)
  if (database && partitions > 0 && done.has(schema.name)) {
    await requirePartitions(database.query, kind, partitions)
  }
  const words = wordsOf(kind, partitions)
  const missing = migrations
    .filter(({ name }) => !done.has(name))
    .map(({ name, statements }) => ({ name, contracts: contracts(name), statements: statements(words) }))
  if (done.size > 0) return missing
  return [{ name: '0000-bookkeeping', contracts: false, statements: bookkeepingStatements(kind) }, ...missing]
}

interface Wanted {
  readonly migrations?: readonly Migration[]
  /** The migrations' names. Default: all. */
  readonly names?: readonly string[]
}

/**
 * Runs those of the named migrations that have not run yet, in a transaction that has the lock. Throws
 * {@link SchemaError} `schema-too-new` for an unknown name, and if a migration that is not named has already run.
 */
export async function migrateTo(
  query: Transaction<Schema>,
  kind: DatabaseKind,
  { migrations = ours, names = migrations.map(({ name }) => name) }: Wanted = {},
): Promise<void> {
  refuseUnknown(names, migrations)
  const done = await migrationsDone(query, kind)
  const more = done.filter((name) => !names.includes(name))
  if (more.length > 0) {
    throw new SchemaError(
      'schema-too-new',
      `The database has a newer schema (${more.join(', ')}) than requested. Use a new database.`,
    )
  }
  const missing = migrations.filter(({ name }) => names.includes(name) && !done.includes(name))
  await runAll(missing, { kind, words: wordsOf(kind) }, query)
}

function requirePostgres(kind: DatabaseKind): void {
  if (kind === 'postgres') return
  throw new SchemaError(
    'wrong-partitions',
    'The embedded database has no partitions: set RATAFIA_DATABASE_URL to a PostgreSQL, or leave out --partitions.',
  )
}

async function requirePartitions(query: Kysely<Schema>, kind: DatabaseKind, wanted: number): Promise<void> {
  const there = await partitionsOf(query, kind, 'device')
  if (there === wanted) return
  throw new SchemaError(
    'wrong-partitions',
    `The tables of devices already exist, ${there === 0 ? 'without partitions' : `with ${there} partitions`}. ` +
      'To change that, back up the database and restore it into a new one created with `ratafia migrate --partitions`.',
  )
}

interface Running {
  readonly kind: DatabaseKind
  readonly words: Words
}

async function runAll(
  missing: readonly Migration[],
  { kind, words }: Running,
  query: Transaction<Schema>,
): Promise<void> {
  for (const { name, statements } of missing) {
    for (const statement of statements(words)) await sql.raw(statement).execute(query)
    await recordMigration(query, kind, name)
  }
}
