/** Limits how often one account may ask, wherever its requests come from. */
import type { RateLimit } from '../../config/rate-limits.ts'
import { TooManyRequests } from '../../errors.ts'
import type { Counters } from '../../limits/counters.ts'
import { rulesOf } from './rate-rules.ts'

/** Throws {@link TooManyRequests}. Without a limit it does nothing. */
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
