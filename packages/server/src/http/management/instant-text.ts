/** How people and programs write an instant, in options, in the management API and in the console's filters. */
import { invalidField } from '../../errors.ts'

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d)))?$/

/**
 * Reads a date, which is its midnight in UTC, or RFC 3339 with a zone; seconds are optional. Rounds down to
 * milliseconds. Returns undefined for anything else, and for a date or time that does not exist.
 */
export function instantIn(text: string): Date | undefined {
  const match = INSTANT.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const [sign, hours, minutes] = [match[8] === '-' ? -1 : 1, Number(match[9] ?? 0), Number(match[10] ?? 0)]
  const local = new Date(0)
  local.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day)
  // Date reads 31 February as another day.
  const isDay = local.getUTCMonth() + 1 === month && local.getUTCDate() === day
  const isTime = (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60 && hours < 24 && minutes < 60
  if (!isDay || !isTime) return undefined
  local.setUTCHours(hour ?? 0, minute, second, millisecond)
  const instant = new Date(local.getTime() - sign * (hours * 60 + minutes) * 60_000)
  return instant.getUTCFullYear() >= 0 && instant.getUTCFullYear() <= 9999 ? instant : undefined
}

/**
 * Reads an instant whose form the schema has checked: a date, or RFC 3339 with a zone. Throws {@link
 * RequestError} `invalid-field` for a day that does not exist.
 */
export function instantField(field: string, text: string): Date {
  const at = instantIn(text)
  if (at) return at
  throw invalidField(`${field} is a date or time that does not exist.`, { field })
}
