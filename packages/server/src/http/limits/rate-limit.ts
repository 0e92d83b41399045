/**
 * Limits how often an address calls a route with `limit`, before its body is read. Counts the address (IPv6
 * by /64) and the wider networks it is in, which can call a few times as often. Otherwise, the owner of a
 * whole /48, and so of 65,536 such addresses, would not be limited.
 *
 * Memory is bounded: each class remembers the 10,000 addresses and networks that it counted last. Making it
 * forget a network requires calls from as many others, each of which counts. No limit per address stops an
 * attacker with that many; the limit on requests in flight does.
 *
 * Not @fastify/rate-limit: its stores count the requests of one key per time window. The workers of a machine
 * share these counters, which check several keys at once and return how long to wait.
 */
import type { FastifyBaseLogger, FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Clock } from '../../clock.ts'
import {
  RATE_LIMIT_NAMES,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from '../../config/rate-limits.ts'
import { TooManyRequests } from '../../errors.ts'
import type { Counters, Taken } from '../../limits/counters.ts'
import { before } from '../hooks.ts'
import { limitFailures } from './failures.ts'
import { countedFor, rulesOf } from './rate-rules.ts'
import { limitRefusedCredentials } from './refused-credentials.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How often an address can call the route; `none` for no limit. Only a route with `credentials` or
     * `failures` can leave it out, because its refusals are limited.
     */
    limit?: RateLimitName | 'none'
  }
}

export interface RateLimitOptions {
  readonly counters: Counters
  readonly limits: RateLimits
  readonly clock: Clock
}

/** The time between two log lines about refusals, in milliseconds. */
const REPORT_MS = 10_000

/**
 * Limits the routes added to `app` later: they throw {@link TooManyRequests}. Adding a route without a limit
 * throws a TypeError.
 */
export function limitRates(app: FastifyInstance, options: RateLimitOptions): void {
  const { counters, limits } = options
  const rules = new Map(
    RATE_LIMIT_NAMES.flatMap((name) => {
      const limit = limits[name]
      return limit === undefined ? [] : [[name, rulesOf(name, limit)] as const]
    }),
  )
  const report = reporter(app.log)
  app.addHook('onRoute', (route) => {
    const { limit: name, credentials, failures } = route.config ?? {}
    if (name === undefined && !credentials && failures === undefined) {
      throw new TypeError(`the route ${route.url} does not name a limit`)
    }
    if (name === undefined || name === 'none') return
    const limited = rules.get(name)
    if (!limited) return
    const limiting: onRequestHookHandler = (request, _reply, done) => {
      const { address, networks } = request.client
      const refuse = (taken: Taken) => {
        if (taken.allowed) return done()
        report(name, address)
        done(new TooManyRequests(taken.waitMs, { asBusy: FOR_SNAPD.has(name) }))
      }
      const taken = counters.take(countedFor(limited, networks))
      if (taken instanceof Promise) taken.then(refuse, done)
      else refuse(taken)
    }
    route.onRequest = before(limiting, route.onRequest)
  })
  limitFailures(app, { ...options, onRefused: (name, { client }) => report(name, client.address) })
  limitRefusedCredentials(app, {
    ...options,
    limit: limits.refused,
    onRefused: ({ client }) => report('refused', client.address),
  })
}

/** snapd gives up on a 429 but retries a 503 (contract/devices.md 1.5). */
const FOR_SNAPD: ReadonlySet<RateLimitName> = new Set(['nonces', 'sessions', 'devices', 'assertions'])

/** Logs the first refusal of a class and then only counts, so that a flood does not fill the log. */
function reporter(log: FastifyBaseLogger): (limit: RateLimitName, address: string) => void {
  const more = new Map<RateLimitName, { refused: number; address: string }>()
  const say = (limit: RateLimitName, refused: number, address: string) =>
    log.warn({ limit, refused, address }, 'too many requests')
  const wait = (limit: RateLimitName) => {
    more.set(limit, { refused: 0, address: '' })
    setTimeout(() => {
      const { refused = 0, address = '' } = more.get(limit) ?? {}
      more.delete(limit)
      if (refused === 0) return
      say(limit, refused, address)
      wait(limit)
    }, REPORT_MS).unref()
  }
  return (limit, address) => {
    const counting = more.get(limit)
    if (counting) {
      counting.refused += 1
      counting.address = address
      return
    }
    say(limit, 1, address)
    wait(limit)
  }
}

/** Returns a function that throws {@link TooManyRequests}; without a limit, it does nothing. */
export function accountLimit(
  limit: RateLimit | undefined,
  counters: Counters,
): (accountId: string) => Promise<void> {
  const [rule] = limit ? rulesOf('management-account', limit) : []
  return async (key) => {
    if (!rule) return
    const taken = await counters.take([{ rule, key }])
    if (!taken.allowed) {
      throw new TooManyRequests(taken.waitMs, { what: 'Your account sends too many requests.' })
    }
  }
}
