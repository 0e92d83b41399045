import { ConditionError, quote } from './errors.ts'

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,18}))?(Z|[+-]\d\d:\d\d)$/

/**
 * Reads a time like Go's RFC3339Nano: `2006-01-02T15:04:05`, an optional fraction, then `Z` or `±hh:mm`. Refuses other
 * forms that `new Date` accepts (no zone, a date alone, a space, lower case). Rounds a fraction that is finer than a
 * `Date` down, so that an expiry never moves later; pass `up` for a beginning.
 * Throws {@link ConditionError} `malformed-condition`.
 */
export function parseTimestamp(text: string, rounding: 'down' | 'up' = 'down'): Date {
  const [, wall = '', fraction = '', zone = ''] = RFC3339.exec(text) ?? []
  const date = new Date(`${wall}Z`)
  // A Date turns 30 February into March and 24:00:00 into the next day; for an invalid date the day is NaN.
  if (date.getUTCDate() !== Number(wall.slice(8, 10))) throw malformed(text)
  const finer = rounding === 'up' && /[1-9]/.test(fraction.slice(3))
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0')) + (finer ? 1 : 0)
  return new Date(date.getTime() + milliseconds - offsetMinutes(zone, text) * 60_000)
}

function offsetMinutes(zone: string, text: string): number {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) throw malformed(text)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Writes `2026-01-27T10:12:02.822000Z`, in UTC with six digits. Throws `TypeError` outside the years 0 to 9999. */
export function formatTimestamp(date: Date): string {
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999))
    throw new TypeError('The date is invalid or its year does not have four digits')
  return date.toISOString().replace('Z', '000Z')
}

function malformed(text: string): ConditionError {
  return new ConditionError('malformed-condition', `Not a time like 2026-01-27T10:12:02Z: ${quote(text)}`)
}
