/**
 * Networks with too many failures: beyond the limit, their requests are refused before anything about them is examined.
 * Only failures query the counters. This process remembers which networks are shut out, so other requests cost nothing.
 */
import { LRUCache } from 'lru-cache'
import type { Networks } from '../../addresses/address.ts'
import type { Clock } from '../../clock.ts'
import type { RateLimit, RateLimitName } from '../../config/rate-limits.ts'
import type { Counters } from '../../limits/counters.ts'
import { countedFor, rulesOf } from './rate-rules.ts'

export interface ShutOut {
  /** Returns the milliseconds until the networks can try again; 0 if they can now. */
  waitFor(networks: Networks): number
  /** Counts a failure. */
  count(networks: Networks): Promise<void>
}

/** How many networks of each width are remembered. */
const NETWORKS = 10_000
/** The minimum milliseconds that a network is shut out: the shortest `Retry-After`. */
const SHORTEST = 1_000

export function shutOutAfter(
  name: RateLimitName,
  limit: RateLimit,
  { counters, clock }: { readonly counters: Counters; readonly clock: Clock },
): ShutOut {
  const rules = rulesOf(name, limit)
  /** When each network can try again, by width. */
  const shutOut = rules.map(() => new LRUCache<string, number>({ max: NETWORKS }))
  return {
    waitFor: (networks) => {
      if (shutOut.every(({ size }) => size === 0)) return 0
      const now = clock().getTime()
      return Math.max(...shutOut.map((until, width) => (until.get(networks[width] ?? '') ?? now) - now))
    },
    count: async (networks) => {
      await Promise.all(
        countedFor(rules, networks).map(async (counted, width) => {
          const taken = await counters.take([counted])
          if (taken.allowed) return
          shutOut[width]?.set(counted.key, clock().getTime() + Math.max(taken.waitMs, SHORTEST))
        }),
      )
    },
  }
}
