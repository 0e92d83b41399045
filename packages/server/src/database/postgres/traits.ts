/** The requirements for a PostgreSQL database, its role and its settings. Each trait explains how to fix a problem. */
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { migrationsDone, SchemaError } from '../schema/bookkeeping.ts'
import { tableNames } from '../schema/migrated-names.ts'
import { migrations } from '../schema/migrations/index.ts'
import type { Schema } from '../schema/schema.ts'

interface Found {
  readonly version: number
  readonly encoding: string
  readonly database: string
  readonly role: string
  /** The first schema of the search path that exists; null if none does. */
  readonly schema: string | null
  readonly mayCreate: boolean | null
  /** The schema with the records of our migrations; null in a new database. */
  readonly ours: string | null
  readonly fsync: string
  readonly commit: string
  readonly tables: readonly FoundTable[]
  /** Whether migrations have run, and whether some have not yet. */
  readonly isMigrated: boolean
  readonly isOlder: boolean
}

/** A table with the name of one of ours, the first of that name in the search path. */
interface FoundTable {
  readonly name: string
  readonly schema: string
  readonly owner: string
  readonly isOwned: boolean
  readonly mayUse: boolean
}

/** Returns a problem and how to fix it, as sentences; undefined if there is no problem. */
type Trait = (found: Found) => string | undefined

const OLDEST = 13
const name = (text: string) => `"${text}"`

const setPath = ({ role, database, ours }: Found) =>
  `\`alter role ${name(role)} in database ${name(database)} set search_path = ${name(ours ?? 'public')}\``

const REQUIRED: readonly Trait[] = [
  ({ version }) =>
    Math.floor(version / 10_000) < OLDEST
      ? `PostgreSQL ${Math.floor(version / 10_000)} is too old. Upgrade the server to ${OLDEST} or newer.`
      : undefined,
  ({ encoding, database }) =>
    encoding !== 'UTF8'
      ? `The database ${name(database)} has the encoding ${encoding}, which cannot store all Unicode text. Create another with \`createdb NAME --encoding=UTF8 --template=template0\`, and move what is in this one with \`ratafia backup\` and \`ratafia restore\`.`
      : undefined,
  (found) =>
    found.schema === null
      ? `search_path does not name an existing schema that the role ${name(found.role)} can use. Run ${setPath(found)}, or \`grant usage on schema SCHEMA to ${name(found.role)}\`.`
      : undefined,
  (found) => {
    const hiding = found.tables.filter(({ schema }) => found.ours !== null && schema !== found.ours)
    if (hiding.length === 0) return undefined
    const [{ name: table, schema } = { name: '', schema: '' }] = hiding
    return `The table ${table} in the schema ${name(schema)} hides Ratafia's table in ${name(found.ours ?? '')}, because ${name(schema)} comes first in search_path. Run ${setPath(found)}.`
  },
  ({ tables, schema, isMigrated }) => {
    const foreign = isMigrated ? undefined : tables.find((table) => table.schema === schema)
    return foreign
      ? `The schema ${name(foreign.schema)} already has a table ${foreign.name} that is not Ratafia's. Give Ratafia its own database.`
      : undefined
  },
  ({ schema, mayCreate, isOlder, role, database }) =>
    schema !== null && isOlder && !mayCreate
      ? `The role ${name(role)} cannot create tables in the schema ${name(schema)}. As an administrator, run \`alter database ${name(database)} owner to ${name(role)}\`, or \`grant usage, create on schema ${name(schema)} to ${name(role)}\`.`
      : undefined,
  ({ tables, role, isMigrated }) => {
    const closed = isMigrated ? tables.filter(({ mayUse }) => !mayUse) : []
    const [first] = closed
    return first
      ? `The role ${name(role)} cannot read and write ${listOf(closed)}. As ${name(first.owner)}, run \`grant select, insert, update, delete on all tables in schema ${name(first.schema)} to ${name(role)}\`.`
      : undefined
  },
  ({ tables, role, isMigrated, isOlder }) => {
    const others = isMigrated && isOlder ? tables.filter(({ isOwned }) => !isOwned) : []
    const [first] = others
    return first
      ? `The role ${name(role)} cannot migrate ${listOf(others)}, which ${others.length === 1 ? 'belongs' : 'belong'} to ${name(first.owner)}. Run \`ratafia migrate\` as ${name(first.owner)}, or \`reassign owned by ${name(first.owner)} to ${name(role)}\`.`
      : undefined
  },
]

const ADVISED: readonly Trait[] = [
  ({ fsync }) =>
    fsync === 'off'
      ? 'fsync is off in PostgreSQL: if its machine crashes, everything can be lost or damaged. Turn it on.'
      : undefined,
  ({ commit, role }) =>
    commit === 'off'
      ? `synchronous_commit is off: if PostgreSQL crashes, it loses changes acknowledged a moment before, such as a revocation. Turn it on, or run \`alter role ${name(role)} set synchronous_commit = on\`.`
      : undefined,
]

const listOf = (tables: readonly FoundTable[]): string =>
  tables.length === 1
    ? `the table ${tables[0]?.name}`
    : `the table ${tables[0]?.name} and ${tables.length - 1} more`

/**
 * Returns recommended fixes, one sentence each. Throws {@link SchemaError} `unfit-database` with a line for
 * each missing trait that Ratafia can't work without, and the errors of {@link migrationsDone}. An embedded
 * database has every trait.
 */
export async function requireFitDatabase({
  query,
  kind,
}: Pick<Database, 'query' | 'kind'>): Promise<readonly string[]> {
  if (kind === 'sqlite') {
    await migrationsDone(query, kind)
    return []
  }
  const found = await lookAt(query)
  const problems = REQUIRED.flatMap((trait) => trait(found) ?? [])
  if (problems.length > 0) throw new SchemaError('unfit-database', problems.join('\n'))
  return ADVISED.flatMap((trait) => trait(found) ?? [])
}

async function lookAt(query: Kysely<Schema>): Promise<Found> {
  const { rows } = await sql<Omit<Found, 'tables' | 'isMigrated' | 'isOlder'>>`
    select current_setting('server_version_num')::integer as version, getdatabaseencoding() as encoding,
      current_database()::text as database, current_user::text as role, current_schema()::text as schema,
      has_schema_privilege(current_schema(), 'create') as "mayCreate",
      (select n.nspname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.oid = to_regclass('schema_migration')) as ours,
      current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`.execute(query)
  const [settings] = rows
  if (!settings) throw new TypeError('A query without a table must return a row.')
  const { rows: tables } = await sql<FoundTable>`
    select c.relname::text as name, n.nspname::text as schema, pg_get_userbyid(c.relowner)::text as owner,
      pg_has_role(c.relowner, 'usage') as "isOwned",
      has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
        and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete') as "mayUse"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and pg_table_is_visible(c.oid)
      and c.relname = any(array[${sql.join([...tableNames('postgres'), ...BOOKKEEPING])}]::text[])
    order by c.relname`.execute(query)
  const bookkeeping = tables.find(({ name: table }) => table === 'schema_migration')
  // If the role cannot read it, migrations must have run: an empty table does not lose its permissions.
  const done = bookkeeping?.mayUse === false ? undefined : await migrationsDone(query, 'postgres')
  return {
    ...settings,
    tables: done?.length === 0 ? tables.filter(({ name: table }) => !BOOKKEEPING.includes(table)) : tables,
    isMigrated: done === undefined || done.length > 0,
    isOlder: done !== undefined && migrations.some((migration) => !done.includes(migration.name)),
  }
}

const BOOKKEEPING: readonly string[] = ['schema_lock', 'schema_migration']
