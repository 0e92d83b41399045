import { sqliteCode, sqlState } from './driver-errors.ts'

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
