/**
 * Limits how often an address calls a route with `limit`, before its body is read. Counted are the address (IPv6 by
 * /64) and its network (IPv4 by /24, IPv6 by /48), which has {@link NETWORK} times as much: else whoever has a whole
 * network, with 65,536 such addresses, would not be limited.
 *
 * Memory is bounded: of each class the {@link REMEMBERED} addresses and networks that were counted last. To make it
 * forget a network, one has to call from as many others, each of which counts; whoever can is stopped by the number of
 * requests in flight, and by no limit of an address.
 *
 * Not @fastify/rate-limit: its stores count requests in windows, of one key, and these counters, which the workers of a
 * machine share, say by several keys at once how long to wait.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { addressKey, addressOf, networkKey } from '../../address.ts'
import {
  RATE_LIMIT_NAMES,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
} from '../../config/rate-limits.ts'
import type { Counters, Rule } from '../../counters.ts'
import { TooManyRequests } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How often an address may call it; without one as often as it likes. */
    limit?: RateLimitName
  }
}

export interface RateLimitOptions {
  readonly counters: Counters
  readonly limits: RateLimits
}

const NETWORK = 4
const REMEMBERED = 10_000
/** Between two lines about refusals in the log, in milliseconds. */
const REPORT_MS = 10_000

/** For the routes that are added to `app` later, throws {@link TooManyRequests}. */
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
    // While the connection is surely there.
    const address = addressOf(request)
    const taken = await counters.take([
      { rule: limited.address, key: addressKey(address) },
      { rule: limited.network, key: networkKey(address) },
    ])
    if (taken.allowed) return
    report(limit, address)
    throw new TooManyRequests(taken.waitMs, { asBusy: FOR_SNAPD.has(limit) })
  })
}

/** snapd gives up at a 429 and tries again at a 503 (contract/devices.md 1.5). */
const FOR_SNAPD: ReadonlySet<RateLimitName> = new Set(['nonces', 'sessions', 'devices', 'assertions'])

const rulesOf = (name: RateLimitName, { count, period }: RateLimit): Record<'address' | 'network', Rule> => ({
  address: {
    name: `rate/${name}/address`,
    burst: count,
    interval: period / count,
    remembered: REMEMBERED,
  },
  network: {
    name: `rate/${name}/network`,
    burst: count * NETWORK,
    interval: period / (count * NETWORK),
    remembered: REMEMBERED,
  },
})

/** Logs the first refusal of a class, and then how many more there were: a flood does not fill the log. */
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
