/** When an attempt that failed is made again. */

const FIRST_MS = 60_000
const LONGEST_MS = 6 * 3_600_000
/** From when it was queued. */
const GIVE_UP_MS = 3 * 86_400_000

/**
 * Milliseconds until the next attempt, after so many: a minute, doubled each time up to six hours, a fifth more or less.
 * `random` is from 0 to 1.
 */
export const waitAfter = (attempts: number, random: number): number =>
  Math.round(Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_MS) * (0.8 + random * 0.4))

/** The instant of the next attempt, or undefined where it would come more than three days after the reminder was queued. */
export function nextAttempt(
  { queuedAt, attempts }: { readonly queuedAt: Date; readonly attempts: number },
  now: Date,
  random: number,
): Date | undefined {
  const next = now.getTime() + waitAfter(attempts, random)
  return next > queuedAt.getTime() + GIVE_UP_MS ? undefined : new Date(next)
}

/** What was queued before this has had its three days. */
export const givenUpBefore = (now: Date): Date => new Date(now.getTime() - GIVE_UP_MS)
