/** Reads times, counts and filters from options. */
import { isRole, ROLE_NAMES, type Role } from '@ratafia/api/roles'
import { parseDuration } from '../config/values.ts'
import { instantIn } from '../http/management/instant-text.ts'
import { UsageError } from './context.ts'

/**
 * Reads a time; a duration counts forward from `now`. Returns undefined for an option that was not given. Throws
 * {@link UsageError} unless the text is an instant that the API accepts, or a number and s, m, h or d.
 */
export const readAhead = (option: string, text: string | undefined, now: Date): Date | undefined =>
  readInstant(option, text, (duration) => new Date(now.getTime() + duration))

/** Does the same with durations that count back from `now`. */
export const readAgo = (option: string, text: string | undefined, now: Date): Date | undefined =>
  readInstant(option, text, (duration) => new Date(now.getTime() - duration))

function readInstant(option: string, text: string | undefined, after: (duration: number) => Date) {
  if (text === undefined) return undefined
  const instant = instantIn(text)
  if (instant) return instant
  try {
    return after(parseDuration(text))
  } catch {
    throw new UsageError(
      `${option} ${text} is not a time: write a date such as 2027-01-31, a time with its zone such as 2027-01-31T00:00:00Z, or a duration such as 90d.`,
    )
  }
}

/** Returns milliseconds for a number of seconds, or a number and s, m, h or d. Throws {@link UsageError}. */
export function readDuration(option: string, text: string): number {
  try {
    return parseDuration(/^\d+$/.test(text) ? `${text}s` : text)
  } catch {
    throw new UsageError(
      `${option} ${text} is not a duration: write a number of seconds such as 900, or a number and s, m, h or d such as 15m.`,
    )
  }
}

/** Throws {@link UsageError}. */
export function readCount(option: string, text: string, most = 99_999, least = 1): number {
  const count = /^[1-9][0-9]{0,7}$/.test(text) ? Number(text) : 0
  if (count >= least && count <= most) return count
  throw new UsageError(`${option} ${text} is not a number from ${least} to ${most}.`)
}

/** Throws {@link UsageError} for characters that one of the databases cannot store as text. */
export function requireText(filters: readonly (string | undefined)[]): void {
  if (filters.some((text) => text !== undefined && /[\0\p{Cs}]/u.test(text))) {
    throw new UsageError('A filter contains NUL or an invalid character.')
  }
}

export { packageReference } from '../package-directory/package-reference.ts'

/** Returns true for "on" and false for "off". Throws {@link UsageError}. */
export function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new UsageError(`Give "on" or "off", not ${JSON.stringify(text)}.`)
}

/** Reads `--role`. Throws {@link UsageError}. */
export function readRole(text: string): Role {
  if (isRole(text)) return text
  throw new UsageError(`--role ${text} is not a role. The roles are ${ROLE_NAMES.join(', ')}.`)
}

/** Collects the values of an option that can repeat. */
export const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]
