/**
 * The counters of a worker: it asks the supervisor, which counts for all workers of the machine. A supervisor that
 * does not answer holds nothing up: the worker then counts for itself.
 */
import type { Counted, Counters, Taken } from '../counters.ts'
import type { FromWorker } from './messages.ts'

export interface SharedCountersOptions {
  /** Returns false if it cannot be sent. */
  readonly send: (message: FromWorker) => boolean
  /** Counts while the supervisor does not answer. */
  readonly fallback: Counters
  /** How long to wait for an answer. Default: 1 second. */
  readonly patienceMs?: number
  /** How many questions may wait for an answer; the next is counted here at once. Default: 10,000. */
  readonly waiting?: number
}

export interface SharedCounters extends Counters {
  /** The supervisor's answer to a question. */
  answer(id: number, taken: Taken): void
}

export function sharedCounters(options: SharedCountersOptions): SharedCounters {
  const { send, fallback, patienceMs = 1_000, waiting: limit = 10_000 } = options
  const waiting = new Map<number, (taken: Taken | undefined) => void>()
  let last = 0
  const ask = async (counted: readonly Counted[]): Promise<Taken | undefined> => {
    if (waiting.size >= limit) return undefined
    const id = ++last
    const { promise, resolve } = Promise.withResolvers<Taken | undefined>()
    waiting.set(id, resolve)
    if (!send({ ratafia: 'take', id, counted })) resolve(undefined)
    const timer = setTimeout(() => resolve(undefined), patienceMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }
  return {
    take: async (counted) => (await ask(counted)) ?? (await fallback.take(counted)),
    giveBack: (counted) => {
      if (!send({ ratafia: 'give-back', counted })) fallback.giveBack(counted)
    },
    answer: (id, taken) => waiting.get(id)?.(taken),
  }
}
