import { ConditionError } from './errors.ts'
import { splitCondition } from './split-condition.ts'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

/** Writes the condition that is met until `date`, such as `time-before 2026-01-27T10:12:02.822000Z`. */
export function formatTimeBefore(date: Date): string {
  return `time-before ${formatTimestamp(date)}`
}

/** Writes the condition that is met from `date`, such as `time-since 2026-01-27T10:12:02.822000Z`. */
export function formatTimeSince(date: Date): string {
  return `time-since ${formatTimestamp(date)}`
}

/** Checks that now is before the argument of `time-before`. Throws `expired` or `malformed-condition`. */
export function checkTimeBefore(argument: string, { now }: { readonly now: Date }): void {
  const expiredAt = parseTimestamp(argument)
  // With an invalid `now`, the comparison is false like every one with NaN, so the condition is not met.
  if (!(now < expiredAt))
    throw new ConditionError('expired', `Expired at ${expiredAt.toISOString()}`, { expiredAt })
}

/** Checks that now is not before the argument of `time-since`. Throws `not-yet-valid` or `malformed-condition`. */
export function checkTimeSince(argument: string, { now }: { readonly now: Date }): void {
  const validFrom = parseTimestamp(argument, 'up')
  if (!(now >= validFrom)) {
    throw new ConditionError('not-yet-valid', `Not valid before ${validFrom.toISOString()}`, { validFrom })
  }
}

/**
 * Returns the earliest `time-before`, after which the conditions can't all be met; undefined without one.
 * Throws `malformed-condition` if one of them is not a time.
 */
export function earliestTimeBefore(conditions: Iterable<string>): Date | undefined {
  return times(conditions, 'time-before', 'down').reduce<Date | undefined>(
    (first, time) => (first === undefined || time < first ? time : first),
    undefined,
  )
}

/** Returns the latest `time-since`; undefined without one. Throws `malformed-condition`. */
export function latestTimeSince(conditions: Iterable<string>): Date | undefined {
  return times(conditions, 'time-since', 'up').reduce<Date | undefined>(
    (last, time) => (last === undefined || time > last ? time : last),
    undefined,
  )
}

function times(conditions: Iterable<string>, wanted: string, rounding: 'down' | 'up'): Date[] {
  const found: Date[] = []
  for (const condition of conditions) {
    const { name, argument } = splitCondition(condition)
    if (name === wanted) found.push(parseTimestamp(argument, rounding))
  }
  return found
}
