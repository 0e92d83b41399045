/** Counts failed attempts. Each attempt is counted before it is made, and taken back unless it fails. */
import type { SignInAttempt } from './signed-in-before.ts'
import type { Throttle } from './throttle.ts'

export interface Throttled {
  readonly verdict: 'throttled'
  readonly retryAt: Date
}

/** Returns the result of `attempt`, or that too many failed before. An attempt that throws does not count. */
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
