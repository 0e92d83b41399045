import { sqliteCode, sqlState } from './away.ts'

/** TOOBIG, CONSTRAINT, MISMATCH. */
const SQLITE_REFUSED: ReadonlySet<number> = new Set([18, 19, 20])

/**
 * Whether a statement was refused for the values it was given: a constraint or a type does not take them, or the text
 * is one that cannot be stored.
 */
export function isRefusedValue(error: unknown): error is Error {
  const state = sqlState(error)
  if (state !== undefined) return state.startsWith('22') || state.startsWith('23')
  const code = sqliteCode(error)
  if (code !== undefined) return SQLITE_REFUSED.has(code)
  return error instanceof UnstorableText
}

/** A mistake of the caller, who lets through what no database here stores. */
export class UnstorableText extends TypeError {}
