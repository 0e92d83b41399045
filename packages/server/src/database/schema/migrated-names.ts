/** Names of what the migrations leave in a database, read from their statements. */
import { type DatabaseKind, wordsOf } from '../differences.ts'
import { migrations } from './migrations/index.ts'

interface NameInTable {
  readonly table: string
  readonly name: string
}

const CREATE_TABLE = /^\s*create table (\w+)/i
const CREATE_INDEX = /^\s*create (?:unique )?index (\w+)\s+on (\w+)/i
const CREATE_TRIGGER = /^\s*create trigger (\w+) after \w+ on (\w+)/i

/** Belongs to one file and its processes, not to what the database contains. */
const RECENT_CHANGES = 'recent_change'

/**
 * Tables in the order they are made: a table comes after those it refers to. Without the bookkeeping of migrations and
 * of changes, which is in no backup.
 */
export function tableNames(kind: DatabaseKind): readonly string[] {
  return statementsOf(kind)
    .flatMap((statement) => CREATE_TABLE.exec(statement)?.[1] ?? [])
    .filter((name) => name !== RECENT_CHANGES)
}

/** Tables that get rows from a migration: those say nothing about whether a database is in use. */
export function seededTables(kind: DatabaseKind): Set<string> {
  const values = /^\s*insert into (\w+) \([^)]*\)\s*values/i
  return new Set(statementsOf(kind).flatMap((statement) => values.exec(statement)?.[1] ?? []))
}

/** Indexes, except those of constraints. */
export function indexNames(kind: DatabaseKind): readonly string[] {
  return statementsOf(kind).flatMap((statement) => CREATE_INDEX.exec(statement)?.[1] ?? [])
}

/** Constraints with a name. */
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

/** Without those whose work a later statement undoes: it drops their index, or their table with all that belongs to it. */
function statementsOf(kind: DatabaseKind): readonly string[] {
  const kept: string[] = []
  for (const statement of migrations.flatMap(({ statements }) => statements(wordsOf(kind)))) {
    const [, what, dropped] = /^\s*drop (table|index) (\w+)/i.exec(statement) ?? []
    const stays = (earlier: string) =>
      what === 'table'
        ? CREATE_TABLE.exec(earlier)?.[1] !== dropped &&
          CREATE_INDEX.exec(earlier)?.[2] !== dropped &&
          CREATE_TRIGGER.exec(earlier)?.[2] !== dropped
        : CREATE_INDEX.exec(earlier)?.[1] !== dropped
    const left = what === undefined ? [...kept, statement] : kept.filter(stays)
    kept.splice(0, kept.length, ...left)
  }
  return kept
}
