/**
 * Lets few registrations sign at once, and few more wait: a signature with 4096 bits takes milliseconds of a core, and
 * a factory that switches a thousand devices on must not make everybody else wait for them.
 */
import pLimit from 'p-limit'
import { Unavailable } from '../../errors.ts'

export interface SigningQueue {
  /** Runs it when it is its turn. Throws {@link Unavailable} at once when too many wait. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Of this moment; `refused` since the start. */
  state(): SigningState
}

export interface SigningState {
  readonly active: number
  readonly waiting: number
  readonly refused: number
}

/** Stands around the signing of one serial, whose wait is over. */
export type SigningObserver = <T>(sign: () => Promise<T>) => Promise<T>

/** As many as Node has threads for signatures. */
const AT_ONCE = 4

/** `waiting` is how many may wait besides those that are signed. */
export function signingQueue(waiting: number, observer: SigningObserver = (sign) => sign()): SigningQueue {
  const limit = pLimit(AT_ONCE)
  let refused = 0
  return {
    run: async (work) => {
      if (limit.activeCount >= AT_ONCE && limit.pendingCount >= waiting) {
        refused++
        throw new Unavailable(`${waiting} registrations wait for their signature already`)
      }
      return limit(() => observer(work))
    },
    state: () => ({ active: limit.activeCount, waiting: limit.pendingCount, refused }),
  }
}
