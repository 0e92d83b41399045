/** The classes of requests to public endpoints that are limited per address, and the syntax of limits. */
import { parseCount, parseDuration } from './values.ts'

/**
 * Each class is counted separately. Routes name their class; `refused` counts refused credentials, `oidc` exchanges.
 * `docs/operations/deploy.md` explains each class.
 */
export const RATE_LIMIT_NAMES = [
  'tokens',
  'nonces',
  'sessions',
  'devices',
  'assertions',
  'discharge',
  'pages',
  'wait-token',
  'verify',
  'refused',
  'oidc',
  'management',
  'management-account',
] as const
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number]

export interface RateLimit {
  /** The number of requests allowed at once, and on average in each period. */
  readonly count: number
  /** The period in milliseconds. */
  readonly period: number
}

/** The limit of each class; undefined if there is no limit. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit | undefined>>

// The cast is safe: it is built from all names.
const NO_RATE_LIMITS = Object.fromEntries(RATE_LIMIT_NAMES.map((name) => [name, undefined])) as RateLimits

/** The limits of the classes that RATAFIA_RATE_LIMITS leaves out. */
export const DEFAULT_RATE_LIMITS =
  'tokens=3000/1m, nonces=6000/1m, sessions=6000/1m, devices=1200/1m, assertions=6000/1m, discharge=3000/1m, pages=1200/1m, wait-token=1200/1m, verify=60000/1m, refused=600/1m, oidc=30/1m, management=3000/1m, management-account=600/1m'

/** Reads `NAME=COUNT/PERIOD` or `NAME=off`, separated by commas, or `off`. Classes left out keep their default. */
export function parseRateLimits(value: string): RateLimits {
  if (value.trim() === 'off') return NO_RATE_LIMITS
  return { ...NO_RATE_LIMITS, ...limitsIn(DEFAULT_RATE_LIMITS), ...limitsIn(value) }
}

function limitsIn(list: string): Partial<RateLimits> {
  const limits = new Map<RateLimitName, RateLimit | undefined>()
  for (const item of list.split(',').map((text) => text.trim())) {
    const [, text, off, count = '', period = ''] = /^([a-z-]+)=(?:(off)|(\d+)\/(\w+))$/.exec(item) ?? []
    const name = RATE_LIMIT_NAMES.find((one) => one === text)
    if (name === undefined || limits.has(name)) {
      throw new Error(
        `has an item that is not a limit, or is listed twice: ${item || '(empty)'}. Write, for example, tokens=3000/1m; the names are ${RATE_LIMIT_NAMES.join(', ')}.`,
      )
    }
    limits.set(
      name,
      off === undefined ? { count: parseCount(count), period: parseDuration(period) } : undefined,
    )
  }
  return Object.fromEntries(limits)
}
