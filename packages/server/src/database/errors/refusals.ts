/** Why a statement was refused. */
import { sqliteCode, sqliteExtendedCode, sqlState } from './driver-errors.ts'

/** SQLite's result codes TOOBIG, CONSTRAINT and MISMATCH. */
const SQLITE_REFUSED: ReadonlySet<number> = new Set([18, 19, 20])

/** Whether a statement was refused for its values: they violate a constraint or a type, or can't be stored. */
export function isRefusedValue(error: unknown): error is Error {
  const state = sqlState(error)
  if (state !== undefined) return state.startsWith('22') || state.startsWith('23')
  const code = sqliteCode(error)
  if (code !== undefined) return SQLITE_REFUSED.has(code)
  return error instanceof UnstorableText
}

/** Thrown for a mistake of the caller: it let through text that one of the databases can't store. */
export class UnstorableText extends TypeError {}

/** SQLite's three codes: SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID. */
const SQLITE_UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579])

/**
 * Whether a statement was refused because a row with the same key exists. With `column` (`'account.username'`, or
 * `'table.a_b'` for a key of several columns), whether it was this key.
 */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  if (sqlState(error) === '23505') {
    if (column === undefined) return true
    const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined
    return typeof constraint === 'string' && isNamed(constraint, column)
  }
  const code = sqliteExtendedCode(error)
  if (code === undefined || !SQLITE_UNIQUE.has(code) || !(error instanceof Error)) return false
  if (column === undefined) return true
  // For an index on an expression, SQLite's message has the name of the index.
  const [, index] = /^UNIQUE constraint failed: index '(\w+)'$/.exec(error.message) ?? []
  return index === undefined ? sqliteKey(error.message) === column : isNamed(index, column)
}

/**
 * Whether a constraint has the name that the migrations give it, `table_column_key`. Citus appends the number
 * of a shard; in PostgreSQL's own partitions, the partition's number follows the table's name.
 */
function isNamed(constraint: string, column: string): boolean {
  const [table = '', columns = ''] = column.split('.')
  return new RegExp(`^${table}(_[0-9]+)?_${columns}_key(_[0-9]+)?$`).test(constraint)
}

/** SQLITE_CONSTRAINT_FOREIGNKEY. */
const SQLITE_REFERENCE = 787

/** Whether a statement was refused because a row that it refers to does not exist. */
export const isReferenceViolation = (error: unknown): boolean =>
  sqlState(error) === '23503' || sqliteExtendedCode(error) === SQLITE_REFERENCE

/** `UNIQUE constraint failed: t.a, t.b` -> `t.a_b`. */
function sqliteKey(message: string): string | undefined {
  const columns = /^UNIQUE constraint failed: (.+)$/.exec(message)?.[1]?.split(', ')
  const table = columns?.[0]?.split('.')[0]
  return columns && `${table}.${columns.map((column) => column.split('.')[1]).join('_')}`
}
