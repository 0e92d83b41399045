/** How often an address may call what anyone may call: the classes of requests, and how a limit is written. */

/** Each is counted apart. Routes name theirs; `docs/operations.md` says what is in which and why. */
export const RATE_LIMIT_NAMES = [
  'tokens',
  'nonces',
  'sessions',
  'devices',
  'assertions',
  'discharge',
  'pages',
  'wait-token',
] as const
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number]

export interface RateLimit {
  /** So many at once, and on average in each period. */
  readonly count: number
  /** Milliseconds. */
  readonly period: number
}

/** Undefined: not limited. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit | undefined>>

// Has every name, because it is made from all of them.
export const NO_RATE_LIMITS = Object.fromEntries(
  RATE_LIMIT_NAMES.map((name) => [name, undefined]),
) as RateLimits
