/** How often an address may call public endpoints: the classes of requests, and how a limit is written. */
import { parseCount, parseDuration } from './values.ts'

/**
 * Each is counted separately. Routes name theirs; `refused` counts credentials that were refused, `oidc` exchanges.
 * `docs/operations/deploy.md` says what each covers and why.
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
  /** How many requests at once, and on average in each period. */
  readonly count: number
  /** Milliseconds. */
  readonly period: number
}

/** Undefined: not limited. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit | undefined>>

// Has every name, because it is made from all of them.
const NO_RATE_LIMITS = Object.fromEntries(RATE_LIMIT_NAMES.map((name) => [name, undefined])) as RateLimits

/** What applies to the classes that RATAFIA_RATE_LIMITS leaves out. */
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
