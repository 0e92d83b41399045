/** Retries after passing failures: a service that restarts or is busy, a connection that breaks. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceAway, type Streams } from '../../context.ts'
import { type Answer, NoAnswer, refusalIn } from '../../login/ask.ts'
import { note } from '../../output.ts'
import { harmless } from '../../terminal/harmless.ts'

const MOST_MS = 60_000
const LONGEST_REQUEST_MS = 30_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

/** The error for an answer that asks the client to retry later. */
class Busy extends ServiceAway {
  /** How long the service asks to wait, in milliseconds; undefined if it does not say. */
  readonly wait: number | undefined

  constructor(message: string, wait: number | undefined) {
    super(message)
    this.wait = wait
  }
}

/** Throws {@link Busy} for an answer that asks the client to retry later. */
export function throwIfBusy(answer: Answer): void {
  const { status, headers } = answer
  if (status !== 429 && (status < 502 || status > 504)) return
  const seconds = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0]
  throw new Busy(refusalIn(answer).message, seconds === undefined ? undefined : Number(seconds) * 1000)
}

/**
 * Calls `attempt` until it succeeds or fails permanently, for a minute at most. `patience`: milliseconds that
 * one request may take. Throws the last error.
 */
export async function withRetries<T>(
  streams: Streams,
  attempt: (patience: number) => Promise<T>,
): Promise<T> {
  const end = performance.now() + MOST_MS
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt(Math.min(LONGEST_REQUEST_MS, Math.ceil(end - performance.now())))
    } catch (error) {
      const wait = waitAfter(error, pause)
      // The added second leaves the request some time.
      if (wait === undefined || performance.now() + wait + 1000 > end) throw error
      const message = error instanceof Error ? error.message : String(error)
      note(streams, `${harmless(message)} Trying again in ${Math.max(1, Math.round(wait / 1000))} s.`)
      await sleep(wait)
    }
  }
}

/** Returns milliseconds to wait, or undefined if a retry would fail in the same way. */
function waitAfter(error: unknown, pause: number): number | undefined {
  // The jobs of a matrix fail together, but should not retry together.
  const some = randomInt(Math.ceil(pause / 2), pause + 1)
  if (error instanceof Busy) return Math.max(error.wait ?? 0, some)
  return error instanceof NoAnswer && !error.lasting ? some : undefined
}
