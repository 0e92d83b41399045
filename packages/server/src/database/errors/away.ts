/**
 * Decides, in one place, which driver errors mean "the database could not be reached": they become `Unavailable`, which
 * is a 503. Any other error is the statement's own and is left as it is.
 */
import { Unavailable } from '../../errors.ts'
import { systemRefusal } from '../../text/system-reason.ts'
import { sqliteCode, sqlState } from './driver-errors.ts'
import { remedyOf } from './remedies.ts'

/** SQLSTATE classes: connection exception, insufficient resources, operator intervention, system error. */
const AWAY_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58'])

const AWAY_STATES: ReadonlySet<string> = new Set([
  '25006', // Read-only: after a failover, this connection leads to a standby.
  '28000', // The credentials are no longer accepted.
  '28P01',
  '3D000', // The database is gone.
  '3F000', // No schema of the search path exists, or this role may not use it.
  '42501', // Something belongs to another role.
  '40001', // Serialization failure and deadlock, once `inTransaction` has given up.
  '40P01',
  '55P03', // A lock was not available in time.
])

/** Codes of Node's network and name resolution errors. */
const AWAY_NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE)$/

/** Errors of `pg` about its own connection, and ours, have no code. */
const AWAY_MESSAGES: readonly RegExp[] = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect/,
  /^Query read timeout/,
  /^Client (has encountered a connection error|was closed)/,
  /^the server does not confirm writes/,
]

/**
 * Primary result codes of SQLite: PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN,
 * PROTOCOL, NOLFS, NOTADB.
 */
const AWAY_SQLITE: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 22, 26])

/** The error to throw instead of `error`: an {@link Unavailable} if it means "away", or else `error` itself. */
export function translateAway(error: unknown, file?: string): unknown {
  return error instanceof Error && meansAway(error) ? away(error, file) : error
}

/**
 * An {@link Unavailable} with the driver's message, and with what to do where that is not just to try again. `file`: of
 * an embedded database, which the message names if its file is what is wrong.
 */
export function away(error: Error, file?: string): Unavailable {
  if (error instanceof Unavailable) return error
  const remedy = remedyOf(error)
  const advice = remedy === undefined ? '' : `. ${remedy}`
  const isAboutFile = sqliteCode(error) !== undefined || systemRefusal(error) !== undefined
  const what = file !== undefined && isAboutFile ? `The database ${file}` : 'The database'
  return new Unavailable(`${what} cannot be used: ${describe(error)}${advice}`, { cause: error })
}

/**
 * Whether a statement was not run because what was prepared for it is out of date: a migration has changed a table, or
 * it is gone.
 */
export function isOutdated(error: unknown): boolean {
  const state = sqlState(error)
  if (state === '26000') return true
  return (
    state === '0A000' &&
    error instanceof Error &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery'
  )
}

function meansAway(error: Error): boolean {
  const sqlite = sqliteCode(error)
  if (sqlite !== undefined) return AWAY_SQLITE.has(sqlite)
  const state = sqlState(error)
  if (state !== undefined) return AWAY_CLASSES.has(state.slice(0, 2)) || AWAY_STATES.has(state)
  if ('code' in error && typeof error.code === 'string') return AWAY_NETWORK.test(error.code)
  return AWAY_MESSAGES.some((message) => message.test(error.message))
}

function describe(error: Error): string {
  // Node tries every address of a name and then throws an AggregateError without a message.
  if (error.message !== '') return error.message
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
