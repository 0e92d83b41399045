/** Counts attempts that fail: one is counted before it is made, and taken back unless it turns out to be wrong. */
import type { SignInAttempt } from './signed-in-before.ts'
import type { Throttle } from './throttle.ts'

export interface Throttled {
  readonly verdict: 'throttled'
  readonly retryAt: Date
}

/** What `attempt` returns, or that too many failed before. An attempt that throws does not count. */
export async function countFailures<T extends { readonly verdict: string }>(
  who: SignInAttempt,
  throttle: Throttle,
  attempt: () => Promise<T>,
): Promise<T | Throttled> {
  const counted = await throttle.attempt(who)
  if (!counted.allowed) return { verdict: 'throttled', retryAt: counted.retryAt }
  try {
    const result = await attempt()
    if (result.verdict !== 'wrong' && result.verdict !== 'code-wrong') counted.forgive()
    return result
  } catch (error) {
    counted.forgive()
    throw error
  }
}
