/** Recognises refusals by a PostgreSQL that is busy, starting, or waiting for its disk. Another attempt may succeed. */
import { sqlState } from './driver-errors.ts'

const STATES: ReadonlySet<string> = new Set([
  '40001', // Serialization failure and deadlock.
  '40P01',
  '53300', // Too many connections.
  '55P03', // A lock was not available in time.
  '57014', // A statement took too long.
  '57P01', // The server, or this connection, is shut down.
  '57P03', // The server is starting.
])

/** Messages of errors of `pg` about its own connection. */
const MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/

/** Whether the work that failed with this `Unavailable` is worth retrying soon. */
export function passesSoon({ cause }: { readonly cause?: unknown }): boolean {
  if (!(cause instanceof Error)) return false
  const state = sqlState(cause)
  if (state !== undefined) return STATES.has(state)
  return cause.name === 'NotConfirmed' || cause.name === 'HostLeft' || MESSAGES.test(cause.message)
}
