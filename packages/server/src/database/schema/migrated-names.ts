/** The names of everything that the migrations create, read from their statements. No migration drops anything yet. */
import { type DatabaseKind, wordsOf } from '../differences.ts'
import { migrations as ours } from './migrations/index.ts'

interface NameInTable {
  readonly table: string
  readonly name: string
}

const CREATE_TABLE = /^\s*create table (\w+)/i
const CREATE_INDEX = /^\s*create (?:unique )?index (\w+)/i
const CREATE_TRIGGER = /^\s*create trigger (\w+) after \w+ on (\w+)/i

/** Tables that belong to one file and its processes, or to its index of serials, and are not part of a backup. */
const OF_THE_FILE: readonly string[] = ['recent_change', 'searched_brand']

/**
 * Returns the tables in the order of their creation: a table comes after those it refers to. Leaves out the
 * bookkeeping of migrations and of changes and the index of serials, which are in no backup.
 */
export function tableNames(kind: DatabaseKind, migrations = ours): readonly string[] {
  return statementsOf(kind, migrations)
    .flatMap((statement) => CREATE_TABLE.exec(statement)?.[1] ?? [])
    .filter((name) => !OF_THE_FILE.includes(name))
}

/** Returns the indexes, except those of constraints. */
export function indexNames(kind: DatabaseKind): readonly string[] {
  return statementsOf(kind).flatMap((statement) => CREATE_INDEX.exec(statement)?.[1] ?? [])
}

/** Returns the named constraints. */
export function constraintNames(kind: DatabaseKind): readonly NameInTable[] {
  return namesInTables(kind, /\bconstraint (\w+)/gi)
}

export function columnNames(kind: DatabaseKind): readonly NameInTable[] {
  // Each column has its own line, which begins with its name and type.
  return namesInTables(kind, /^\s*(\w+) (?:text|integer|bigint|smallint|blob|bytea)\b/gim)
}

export function triggerNames(kind: DatabaseKind): readonly NameInTable[] {
  return statementsOf(kind).flatMap((statement) => {
    const [, name, table] = CREATE_TRIGGER.exec(statement) ?? []
    return name === undefined || table === undefined ? [] : [{ table, name }]
  })
}

function namesInTables(kind: DatabaseKind, pattern: RegExp): readonly NameInTable[] {
  return statementsOf(kind).flatMap((statement) => {
    const [, table] = CREATE_TABLE.exec(statement) ?? []
    if (table === undefined) return []
    return [...statement.matchAll(pattern)].map(([, name = '']) => ({ table, name }))
  })
}

const statementsOf = (kind: DatabaseKind, migrations = ours): readonly string[] =>
  migrations.flatMap(({ statements }) => statements(wordsOf(kind)))
