/**
 * Limits how many registrations sign at once, and how many wait: a signature with 4096 bits takes milliseconds of a
 * core, and a factory that switches on a thousand devices must not make everyone else wait.
 */
import pLimit from 'p-limit'
import { Unavailable } from '../../errors.ts'

export interface SigningQueue {
  /**
   * Runs `work` when its turn comes; `waited` says whether it waited for others. Throws {@link Unavailable} at once
   * if too many wait.
   */
  run<T>(work: (waited: boolean) => Promise<T>): Promise<T>
  /** `refused` since the start. */
  state(): { readonly active: number; readonly waiting: number; readonly refused: number }
}

/** Wraps the turn of one registration, after its wait. */
type SigningObserver = <T>(sign: () => Promise<T>) => Promise<T>

/** Node has this many threads for signatures. */
const AT_ONCE = 4

/** `waiting`: how many may wait, not counting those that sign. */
export function signingQueue(waiting: number, observer: SigningObserver): SigningQueue {
  const limit = pLimit(AT_ONCE)
  let refused = 0
  return {
    run: async (work) => {
      const waits = limit.activeCount >= AT_ONCE
      if (waits && limit.pendingCount >= waiting) {
        refused++
        throw new Unavailable(`${waiting} registrations already wait for their signature`)
      }
      return limit(() => observer(() => work(waits)))
    },
    state: () => ({ active: limit.activeCount, waiting: limit.pendingCount, refused }),
  }
}
