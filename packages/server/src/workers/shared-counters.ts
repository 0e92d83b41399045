/** The counters of a worker: the supervisor counts for all, or, if it does not answer, the worker for itself. */
import type { Counted, Counters, Taken } from '../limits/counters.ts'
import type { FromWorker } from './messages.ts'

export interface SharedCountersOptions {
  /** Returns false if the message cannot be sent. */
  readonly send: (message: FromWorker) => boolean
  /** Does the counting while the supervisor does not answer. */
  readonly fallback: Counters
  /** How long to wait for an answer. Default: 1 second. */
  readonly patienceMs?: number
  /** How many questions can wait for an answer; further ones are counted here at once. Default: 10,000. */
  readonly waiting?: number
}

export interface SharedCounters extends Counters {
  /** Receives the supervisor's answer to the questions with this id, in their order. */
  answer(id: number, taken: readonly Taken[]): void
}

interface Question {
  readonly counted: readonly Counted[]
  readonly resolve: (taken: Taken | undefined) => void
}

export function sharedCounters(options: SharedCountersOptions): SharedCounters {
  const { send, fallback, patienceMs = 1_000, waiting: limit = 10_000 } = options
  /** The waiting messages by id. */
  const waiting = new Map<number, (taken?: readonly Taken[]) => void>()
  let questions: Question[] = []
  let unanswered = 0
  let last = 0
  /** Sends all questions of a turn of the event loop together: a message costs as much as a short request. */
  const sendAll = () => {
    const id = ++last
    const asked = questions
    questions = []
    const timer = setTimeout(() => resolve(), patienceMs)
    const resolve = (taken: readonly Taken[] = []) => {
      clearTimeout(timer)
      if (!waiting.delete(id)) return
      unanswered -= asked.length
      for (const [at, question] of asked.entries()) question.resolve(taken[at])
    }
    waiting.set(id, resolve)
    if (!send({ ratafia: 'take', id, asked: asked.map(({ counted }) => counted) })) resolve()
  }
  const ask = (counted: readonly Counted[]): Promise<Taken | undefined> | undefined => {
    if (unanswered >= limit) return undefined
    unanswered++
    return new Promise((resolve) => {
      if (questions.push({ counted, resolve }) === 1) setImmediate(sendAll)
    })
  }
  return {
    take: async (counted) => (await ask(counted)) ?? (await fallback.take(counted)),
    giveBack: (counted) => {
      if (!send({ ratafia: 'give-back', counted })) fallback.giveBack(counted)
    },
    answer: (id, taken) => waiting.get(id)?.(taken),
  }
}
