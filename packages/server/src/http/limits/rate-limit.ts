/**
 * Limits how often an address calls a route with `limit`, before its body is read. Counts the address (IPv6 by /64) and
 * the wider networks it is in, which may call {@link TIMES} as often. Without these, someone with a whole /48, and so
 * 65,536 such addresses, would not be limited.
 *
 * Memory is bounded: each class remembers the {@link REMEMBERED} addresses and networks counted last. Making it forget
 * a network takes calls from as many others, each of which counts. No limit per address stops an attacker with that
 * many; the limit on requests in flight does.
 *
 * Not @fastify/rate-limit: its stores count the requests of one key per time window. The workers of a machine share
 * these counters, which check several keys at once and say how long to wait.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { addressOf, type Networks, networksOf } from '../../address.ts'
import {
  RATE_LIMIT_NAMES,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from '../../config/rate-limits.ts'
import type { Counted, Counters, Rule } from '../../counters.ts'
import { TooManyRequests } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The limit on how often an address may call the route. Default: none. */
    limit?: RateLimitName
  }
}

export interface RateLimitOptions {
  readonly counters: Counters
  readonly limits: RateLimits
}

/** How often each width of network may call, in terms of the limit, narrowest first. */
const TIMES = [1, 4, 16] as const
const REMEMBERED = 10_000
/** Milliseconds between two log lines about refusals. */
const REPORT_MS = 10_000

/** For routes added to `app` later. They throw {@link TooManyRequests}. */
export function limitRates(app: FastifyInstance, { counters, limits }: RateLimitOptions): void {
  const rules = new Map(
    RATE_LIMIT_NAMES.flatMap((name) => {
      const limit = limits[name]
      return limit === undefined ? [] : [[name, rulesOf(name, limit)] as const]
    }),
  )
  const report = reporter(app.log)
  app.addHook('onRequest', async (request) => {
    const { limit } = request.routeOptions.config
    const limited = limit === undefined ? undefined : rules.get(limit)
    if (limit === undefined || !limited) return
    // Now, while the connection is still open.
    const address = addressOf(request)
    const taken = await counters.take(countedFor(limited, networksOf(address)))
    if (taken.allowed) return
    report(limit, address)
    throw new TooManyRequests(taken.waitMs, { asBusy: FOR_SNAPD.has(limit) })
  })
}

/** snapd gives up on a 429 and tries again on a 503 (contract/devices.md 1.5). */
const FOR_SNAPD: ReadonlySet<RateLimitName> = new Set(['nonces', 'sessions', 'devices', 'assertions'])

function rulesOf(name: RateLimitName, { count, period }: RateLimit): readonly Rule[] {
  return TIMES.map((times, width) => ({
    name: `rate/${name}/${width}`,
    burst: count * times,
    interval: period / (count * times),
    remembered: REMEMBERED,
  }))
}

/** A bucket for each of the networks. */
const countedFor = (rules: readonly Rule[], networks: Networks): readonly Counted[] =>
  rules.map((rule, width) => ({ rule, key: networks[width] ?? '' }))

/** Logs the first refusal of a class, then only counts, so that a flood does not fill the log. */
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
