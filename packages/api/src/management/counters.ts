/** The counters of the service over time, and the periods it shows. */

/** The labels of each counter, in the order in which they are shown. */
export const COUNTERS = {
  registrations: ['serial', 'waits', 'refused'],
  'device-sessions': ['opened', 'refreshed'],
  'store-questions': ['session-valid', 'session-refused', 'token-valid', 'token-refused'],
  'token-uses': ['developer', 'management'],
  logins: ['opened', 'job', 'wrong', 'code-wrong', 'disabled', 'throttled', 'job-refused'],
  /** The labels are the codes of the answers. */
  refusals: undefined,
} as const

export type CounterName = keyof typeof COUNTERS
export const COUNTER_NAMES = Object.keys(COUNTERS) as readonly CounterName[]

export type CounterLabel<Name extends CounterName> = (typeof COUNTERS)[Name] extends readonly string[]
  ? (typeof COUNTERS)[Name][number]
  : string

/** Shown by the hour, day and month. */
export const COUNTER_PERIODS = ['24h', '30d', '12mo'] as const
export type CounterPeriod = (typeof COUNTER_PERIODS)[number]
