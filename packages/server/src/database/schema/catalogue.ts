/** Reads the tables, and their parts, from the database's own catalogue. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DatabaseKind } from '../differences.ts'
import type { Schema } from './schema.ts'

/** The type of a column, the same on both databases. */
type ColumnKind = 'text' | 'integer' | 'bytes' | 'real'

interface Column {
  readonly name: string
  readonly kind: ColumnKind
}

export interface Reference {
  readonly columns: readonly string[]
  readonly to: string
  readonly toColumns: readonly string[]
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
}

type Query = Kysely<Schema>

/** Describes the named tables that exist. Throws for a column type that the two databases do not share. */
export async function describeTables(
  query: Query,
  kind: DatabaseKind,
  names: readonly string[],
): Promise<readonly Table[]> {
  const tables: Table[] = []
  for (const name of names) {
    const columns = await columnsOf(query, kind, name)
    if (columns.length === 0) continue
    tables.push({
      name,
      columns: columns.map((column) => ({ name: column.name, kind: columnKindOf(name, column) })),
      primaryKey: columns
        .filter(({ key }) => key > 0)
        .sort((one, other) => one.key - other.key)
        .map((column) => column.name),
    })
  }
  return tables
}

/** Returns the names of the tables that exist. */
export async function presentTables(
  query: Query,
  kind: DatabaseKind,
  names: readonly string[],
): Promise<readonly string[]> {
  const there = await namesOf(
    query,
    kind === 'sqlite'
      ? sql`select name from sqlite_master where type = 'table'`
      : sql`select relname as name from pg_class where relkind in ('r', 'p') and pg_table_is_visible(oid)`,
  )
  return names.filter((name) => there.has(name))
}

/** Returns the number of a table's partitions; 0 if it is undivided or does not exist. */
export async function partitionsOf(query: Query, kind: DatabaseKind, table: string): Promise<number> {
  if (kind === 'sqlite') return 0
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_inherits where inhparent = to_regclass(${table})`.execute(query)
  return rows[0]?.count ?? 0
}

/** Returns the tables that Citus distributes; none without Citus. */
export async function distributedTables(query: Query, kind: DatabaseKind): Promise<ReadonlySet<string>> {
  if (kind === 'sqlite') return new Set()
  const catalogues = await namesOf(
    query,
    sql`select 'pg_dist_partition' as name where to_regclass('pg_dist_partition') is not null`,
  )
  if (catalogues.size === 0) return new Set()
  return namesOf(
    query,
    sql`select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      where pg_table_is_visible(pg_class.oid)`,
  )
}

/** Returns the names of a table's columns; none if the table does not exist. */
export async function presentColumns(query: Query, kind: DatabaseKind, table: string): Promise<Set<string>> {
  return new Set((await columnsOf(query, kind, table)).map(({ name }) => name))
}

interface CatalogueColumn {
  readonly name: string
  readonly type: string
  /** The column's place in the primary key, from 1; 0 if it is not part of the key. */
  readonly key: number
}

async function columnsOf(query: Query, kind: DatabaseKind, table: string): Promise<CatalogueColumn[]> {
  const { rows } = await (kind === 'sqlite'
    ? sql<CatalogueColumn>`
        select name, lower(type) as type, pk as key from pragma_table_info(${table}) order by cid`
    : sql<CatalogueColumn>`
        select a.attname as name, format_type(a.atttypid, null) as type,
          coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) as key
        from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
        where a.attrelid = to_regclass(${table}) and a.attnum > 0 and not a.attisdropped
        order by a.attnum`
  ).execute(query)
  return rows
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  blob: 'bytes',
  bytea: 'bytes',
  integer: 'integer',
  bigint: 'integer',
  smallint: 'integer',
  real: 'real',
  'double precision': 'real',
}

function columnKindOf(table: string, { name, type }: CatalogueColumn): ColumnKind {
  const kind = KINDS[type]
  if (kind === undefined) throw new TypeError(`The column ${table}.${name} has the type ${type}.`)
  return kind
}

/** Returns a table's foreign keys. */
export async function referencesOf(
  query: Query,
  kind: DatabaseKind,
  table: string,
): Promise<readonly Reference[]> {
  if (kind === 'postgres') {
    const { rows } = await sql<Reference>`
      select c.confrelid::regclass::text as to,
        array(select a.attname::text from unnest(c.conkey) with ordinality k (n, place)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.place) as columns,
        array(select a.attname::text from unnest(c.confkey) with ordinality k (n, place)
          join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.place) as "toColumns"
      from pg_constraint c where c.conrelid = to_regclass(${table}) and c.contype = 'f' and c.conparentid = 0 order by c.conname
    `.execute(query)
    return rows
  }
  const { rows } = await sql<{ id: number; to: string; from: string; target: string }>`
    select id, "table" as "to", "from", "to" as target from pragma_foreign_key_list(${table}) order by id, seq
  `.execute(query)
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((parts) => {
    const [first] = parts
    if (!first) return []
    return {
      columns: parts.map(({ from }) => from),
      to: first.to,
      toColumns: parts.map(({ target }) => target),
    }
  })
}

async function namesOf(query: Query, statement: RawBuilder<unknown>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`${statement}`.execute(query)
  return new Set(rows.map(({ name }) => name))
}

/** Returns the names of the indexes that exist and are valid. */
export const presentIndexes = (query: Query, kind: DatabaseKind): Promise<ReadonlySet<string>> =>
  namesOf(
    query,
    kind === 'sqlite'
      ? sql`select name from sqlite_master where type = 'index'`
      : sql`select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
          where i.indisvalid and pg_table_is_visible(i.indrelid)`,
  )

/** Returns `table.trigger` for each trigger that exists and runs for this connection's changes. */
export const presentTriggers = (query: Query, kind: DatabaseKind): Promise<ReadonlySet<string>> =>
  namesOf(
    query,
    kind === 'sqlite'
      ? sql`select tbl_name || '.' || name as name from sqlite_master where type = 'trigger'`
      : sql`select tgrelid::regclass::text || '.' || tgname as name from pg_trigger
          where not tgisinternal and pg_table_is_visible(tgrelid)
            and tgenabled in ('A', case current_setting('session_replication_role') when 'replica' then 'R' else 'O' end)`,
  )

/** Returns `table.constraint` for each constraint that exists and was checked for every row. */
export async function presentConstraints(query: Query, kind: DatabaseKind): Promise<ReadonlySet<string>> {
  if (kind === 'postgres') {
    return namesOf(
      query,
      sql`select conrelid::regclass::text || '.' || conname as name from pg_constraint
        where conrelid <> 0 and convalidated and pg_table_is_visible(conrelid)`,
    )
  }
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'table'
  `.execute(query)
  return new Set(
    rows.flatMap(({ name: table, sql: text }) =>
      [...text.matchAll(/\bconstraint (\w+)/gi)].map(([, name]) => `${table}.${name}`),
    ),
  )
}
