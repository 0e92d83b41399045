/** Names of what the migrations make, read from their statements. */
import { type DatabaseKind, wordsOf } from '../differences.ts'
import { migrations } from './migrations/index.ts'

interface NameInTable {
  readonly table: string
  readonly name: string
}

const CREATE_TABLE = /^\s*create table (\w+)/i

/** Belongs to one file and its processes, not to what the database contains. */
const RECENT_CHANGES = 'recent_change'

/**
 * Tables in the order they are made: a table comes after those it refers to. Without the bookkeeping of migrations and
 * of changes, which is in no backup.
 */
export function tableNames(kind: DatabaseKind): readonly string[] {
  return namesIn(kind, CREATE_TABLE).filter((name) => name !== RECENT_CHANGES)
}

/** Tables that get rows from a migration: those say nothing about whether a database is in use. */
export function seededTables(kind: DatabaseKind): Set<string> {
  return new Set(namesIn(kind, /^\s*insert into (\w+)/i))
}

/** Indexes, except those of constraints. */
export function indexNames(kind: DatabaseKind): readonly string[] {
  return namesIn(kind, /^\s*create (?:unique )?index (\w+)/i)
}

/** Constraints with a name. */
export function constraintNames(kind: DatabaseKind): readonly NameInTable[] {
  return namesInTables(kind, /\bconstraint (\w+)/gi)
}

export function columnNames(kind: DatabaseKind): readonly NameInTable[] {
  // Each column has its own line, which begins with its name and type.
  return namesInTables(kind, /^\s*(\w+) (?:text|integer|bigint|blob|bytea)\b/gim)
}

export function triggerNames(kind: DatabaseKind): readonly NameInTable[] {
  return statementsOf(kind).flatMap((statement) => {
    const [, name, table] = /^\s*create trigger (\w+) after \w+ on (\w+)/i.exec(statement) ?? []
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

function namesIn(kind: DatabaseKind, pattern: RegExp): readonly string[] {
  return statementsOf(kind).flatMap((statement) => pattern.exec(statement)?.[1] ?? [])
}

const statementsOf = (kind: DatabaseKind): readonly string[] =>
  migrations.flatMap(({ statements }) => statements(wordsOf(kind)))
