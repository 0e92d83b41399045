/** The buckets of a class of requests: one for each width of the networks that an address is in. */
import type { Networks } from '../../addresses/address.ts'
import type { RateLimit, RateLimitName } from '../../config/rate-limits.ts'
import type { Counted, Rule } from '../../limits/counters.ts'

/** How many calls each network width can make, as a multiple of the limit, narrowest first. */
const TIMES = [1, 4, 16] as const
const REMEMBERED = 10_000

export const rulesOf = (name: RateLimitName, { count, period }: RateLimit): readonly Rule[] =>
  TIMES.map((times, width) => ({
    name: `rate/${name}/${width}`,
    burst: count * times,
    interval: period / (count * times),
    remembered: REMEMBERED,
  }))

/** Returns a bucket for each of the networks. */
export const countedFor = (rules: readonly Rule[], networks: Networks): readonly Counted[] =>
  rules.map((rule, width) => ({ rule, key: networks[width] ?? '' }))
