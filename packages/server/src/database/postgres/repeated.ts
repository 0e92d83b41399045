/** Repeats work that locks whole tables until it gets every lock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../errors/driver-errors.ts'
import { LONGEST_WAIT_MS } from './limits.ts'

/** A lock was not free in time, or this side was chosen to end a deadlock. */
const LOCK_REFUSALS: ReadonlySet<string> = new Set(['55P03', '40P01'])
const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 4_000

/** Repeats `attempt`; waiting statements run in the pauses. Throws other errors, and the last at the deadline. */
export async function repeatedUntilLocked<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LONGEST_WAIT_MS
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLockRefusal(error) || performance.now() > deadline) throw error
    }
    // A random pause, so that two processes that do the same don't stay in step.
    await sleep(pause * (0.5 + Math.random()))
  }
}

const isLockRefusal = (error: unknown): boolean =>
  error instanceof Error && LOCK_REFUSALS.has(sqlState(error) ?? sqlState(error.cause) ?? '')
