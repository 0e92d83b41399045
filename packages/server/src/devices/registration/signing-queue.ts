/**
 * Limits how many registrations sign at once, and how many wait: a signature with 4096 bits takes milliseconds of a
 * core, and a factory that switches on a thousand devices must not make everyone else wait.
 */
import pLimit from 'p-limit'
import { Unavailable } from '../../errors.ts'

export interface SigningQueue {
  /** Runs `work` when its turn comes. Throws {@link Unavailable} at once if too many wait. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** `refused` since the start. */
  state(): { readonly active: number; readonly waiting: number; readonly refused: number }
}

/** Wraps the turn of one registration, after its wait. */
type SigningObserver = <T>(sign: () => Promise<T>) => Promise<T>

interface SigningLimits {
  /** No more than there are cores: a signature does nothing but compute. */
  readonly atOnce: number
  /** How many may wait, not counting those that sign. */
  readonly waiting: number
}

export function signingQueue({ atOnce, waiting }: SigningLimits, observer: SigningObserver): SigningQueue {
  const limit = pLimit(atOnce)
  let refused = 0
  return {
    run: async (work) => {
      if (limit.activeCount >= atOnce && limit.pendingCount >= waiting) {
        refused++
        throw new Unavailable(`${waiting} registrations already wait for their signature`)
      }
      return limit(() => observer(work))
    },
    state: () => ({ active: limit.activeCount, waiting: limit.pendingCount, refused }),
  }
}
