/**
 * Decides, in one place, which driver errors mean "the database could not be reached". They become
 * `Unavailable`, which is a 503. Any other error belongs to the statement and is thrown unchanged.
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
  '3D000', // The database has disappeared.
  '3F000', // No schema of the search path exists, or this role has no access to it.
  '42501', // Something belongs to another role.
  '40001', // Serialization failure and deadlock, once `inTransaction` has given up.
  '40P01',
  '55P03', // A lock was not available in time.
])

/** Codes of Node's network and name resolution errors. */
const AWAY_NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE)$/

/** Messages of errors without a code: those of `pg` about its own connection, and ours. */
const AWAY_MESSAGES: readonly RegExp[] = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect/,
  /^Query read timeout/,
  /^Client (has encountered a connection error|was closed)/,
  /^the server does not confirm writes/,
]

/** PERM, BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOLFS, NOTADB. */
const AWAY_SQLITE: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 22, 26])

/** Returns the error to throw: an {@link Unavailable} if `error` means "away", otherwise `error` itself. */
export function translateAway(error: unknown, file?: string): unknown {
  return error instanceof Error && meansAway(error) ? away(error, file) : error
}

/**
 * Returns an {@link Unavailable} with the driver's message and, where trying again is not enough, the remedy.
 * `file` is the file of an embedded database; the message names it if the file is the problem.
 */
export function away(error: Error, file?: string): Unavailable {
  if (error instanceof Unavailable) return error
  const remedy = remedyOf(error)
  const advice = remedy === undefined ? '' : `. ${remedy}`
  const isAboutFile = sqliteCode(error) !== undefined || systemRefusal(error) !== undefined
  const what = file !== undefined && isAboutFile ? `The database ${file}` : 'The database'
  return new Unavailable(`${what} cannot be used: ${describe(error)}${advice}`, { cause: error })
}

/** Whether a statement did not run because its prepared form is gone, or outdated by a migration. */
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
  // Node tries every address of a host name and then throws an AggregateError without a message.
  if (error.message !== '') return error.message
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
