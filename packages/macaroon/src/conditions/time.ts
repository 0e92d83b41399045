import { ConditionError } from './errors.ts'
import { splitCondition } from './split-condition.ts'
import { formatTimestamp, parseTimestamp } from './timestamp.ts'

/** The condition that is met until `date`: `time-before 2026-01-27T10:12:02.822000Z`. */
export function formatTimeBefore(date: Date): string {
  return `time-before ${formatTimestamp(date)}`
}

/** The condition that is met from `date` on: `time-since 2026-01-27T10:12:02.822000Z`. */
export function formatTimeSince(date: Date): string {
  return `time-since ${formatTimestamp(date)}`
}

/** Checks the argument of `time-before`: met while now is before it. Throws `expired` or `malformed-condition`. */
export function checkTimeBefore(argument: string, { now }: { readonly now: Date }): void {
  const expiredAt = parseTimestamp(argument)
  // Written so that an invalid `now` is refused: every comparison with NaN is false, and then nothing is met.
  if (!(now < expiredAt))
    throw new ConditionError('expired', `Expired at ${expiredAt.toISOString()}`, { expiredAt })
}

/** Checks the argument of `time-since`: met from that time on. Throws `not-yet-valid` or `malformed-condition`. */
export function checkTimeSince(argument: string, { now }: { readonly now: Date }): void {
  const validFrom = parseTimestamp(argument, 'up')
  if (!(now >= validFrom)) {
    throw new ConditionError('not-yet-valid', `Not valid before ${validFrom.toISOString()}`, { validFrom })
  }
}

/**
 * When the first `time-before` ends, or undefined without one: the time after which the conditions
 * cannot all be met. Throws `malformed-condition` when one of them is not a time.
 */
export function earliestTimeBefore(conditions: Iterable<string>): Date | undefined {
  return times(conditions, 'time-before', 'down').reduce<Date | undefined>(
    (first, time) => (first === undefined || time < first ? time : first),
    undefined,
  )
}

/** When the last `time-since` begins, or undefined without one. Throws `malformed-condition`. */
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
