/** Times as options give them. */
import { parseDuration } from '../config/values.ts'
import { UsageError } from './context.ts'

interface Reading {
  readonly now: Date
  /** What a duration counts from now: forward, or back. */
  readonly direction: 'ahead' | 'ago'
}

/** Throws {@link UsageError} for what is neither a time in UTC nor a number and s, m, h or d. */
export function readInstant(option: string, text: string, { now, direction }: Reading): Date {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text)) {
    const date = new Date(text)
    if (!Number.isNaN(date.getTime())) return date
  }
  try {
    const duration = parseDuration(text)
    return new Date(now.getTime() + (direction === 'ahead' ? duration : -duration))
  } catch {
    throw new UsageError(
      `${option} ${text} is neither a time such as 2027-01-31T00:00:00Z nor one such as 90d.`,
    )
  }
}
