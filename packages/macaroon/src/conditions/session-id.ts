import { ConditionError, quote } from './errors.ts'

const SESSION_ID = /^[!-~]{1,128}$/

/** Writes the condition `session-id ID`. Throws `TypeError` unless the id is 1 to 128 printable ASCII characters. */
export function formatSessionId(id: string): string {
  if (!SESSION_ID.test(id))
    throw new TypeError('A session id must be 1 to 128 printable ASCII characters without spaces')
  return `session-id ${id}`
}

/**
 * Reads the argument of `session-id`. It is usually a UUID, but treat it as opaque.
 * Throws {@link ConditionError} `malformed-condition`.
 */
export function parseSessionId(argument: string): string {
  if (!SESSION_ID.test(argument)) {
    throw new ConditionError('malformed-condition', `Not a session id: ${quote(argument)}`)
  }
  return argument
}
