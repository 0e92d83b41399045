/**
 * Limits how many registrations sign at once, and how many wait: a 4096-bit signature takes milliseconds of a
 * core, and a factory that switches on a thousand devices must not block all others.
 */
import pLimit from 'p-limit'
import { Unavailable } from '../../errors.ts'

export interface SigningQueue {
  /** Runs `work` when its turn comes. Throws {@link Unavailable} at once if too many are waiting. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** `refused` counts since the start. */
  state(): { readonly active: number; readonly waiting: number; readonly refused: number }
}

/** Wraps the turn of one registration, after its wait. */
type SigningObserver = <T>(sign: () => Promise<T>) => Promise<T>

interface SigningLimits {
  /** The number of concurrent signatures, at most the number of cores, because signing only computes. */
  readonly atOnce: number
  /** How many can wait, not counting those that are signing. */
  readonly waiting: number
}

export function signingQueue({ atOnce, waiting }: SigningLimits, observer: SigningObserver): SigningQueue {
  const limit = pLimit(atOnce)
  let refused = 0
  return {
    run: async (work) => {
      if (limit.activeCount >= atOnce && limit.pendingCount >= waiting) {
        refused++
        throw new Unavailable(`${waiting} registrations are already waiting for a signature`)
      }
      return limit(() => observer(work))
    },
    state: () => ({ active: limit.activeCount, waiting: limit.pendingCount, refused }),
  }
}
