/**
 * The form in which Go reads and writes RFC 3339 (contract/devices.md 3.6): a `T`, a zone, seconds, maybe a fraction.
 */

const FORM = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/

/** The instant, or the problem, phrased to follow the header's name. */
export type ParsedTimestamp = { readonly date: Date } | { readonly fault: string }

/** Returns the instant, without fractions of a millisecond. */
export function parseTimestamp(text: string): ParsedTimestamp {
  const [, wall, fraction = '', zone] = FORM.exec(text) ?? []
  if (wall === undefined || zone === undefined) {
    return { fault: 'is not a time such as 2026-01-27T10:12:02Z (RFC 3339)' }
  }
  const date = instant(wall, fraction, zone)
  return date === undefined ? { fault: 'is a time that does not exist' } : { date }
}

/**
 * Writes `2026-01-27T10:12:02Z`: whole seconds, UTC. Throws `TypeError` unless the date is valid with a 4-digit year.
 */
export function formatTimestamp(date: Date): string {
  const [, text] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\./.exec(iso(date)) ?? []
  if (text === undefined) throw new TypeError('a timestamp needs a valid date in the years 0 to 9999')
  return `${text}Z`
}

function iso(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

function instant(wall: string, fraction: string, zone: string): Date | undefined {
  const date = new Date(`${wall}Z`)
  // A Date turns 30 February into March and 24:00:00 into the next day; for an invalid date the day is NaN.
  if (date.getUTCDate() !== Number(wall.slice(8, 10))) return undefined
  const milliseconds = Number(`${fraction}000`.slice(0, 3))
  const offset = zone === 'Z' ? 0 : offsetMinutes(zone)
  if (offset === undefined) return undefined
  const moved = new Date(date.getTime() + milliseconds - offset * 60_000)
  // The year must also have four digits in UTC, or the instant could not be written again.
  const year = moved.getUTCFullYear()
  return year >= 0 && year <= 9999 ? moved : undefined
}

function offsetMinutes(zone: string): number | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
