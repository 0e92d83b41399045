/**
 * Remembers in this process when devices were seen or tokens used, and stores it every few seconds, so that no request
 * waits for it. A process that is killed loses what it has not stored; no decision depends on those seconds.
 */

/** One observation of a device or token. */
export interface Seen {
  readonly id: string
  readonly at: Date
}

export interface ActivityRecorder<One extends Seen> {
  /** Remembers an observation, without storing it. */
  saw(seen: One): void
  /** Stores everything it remembers. Never throws. */
  flush(): Promise<void>
  /** Stores the rest and stops. */
  stop(): Promise<void>
}

interface RecorderDeps<One extends Seen> {
  /** Stores at most one observation for each id, at most 1,000, in the order of ids. */
  readonly activities: { saw(seen: readonly One[]): Promise<void> }
  /** Called for a batch that was not stored. It will be retried. */
  readonly onError: (error: unknown) => void
  /** Called with the number of dropped observations, when too many are already remembered. */
  readonly onForgotten: (many: number) => void
  readonly everyMs?: number
  readonly most?: number
}

/** The maximum number of rows in one statement. */
const SEEN_AT_ONCE = 1000

const EVERY_MS = 10_000

/** The maximum number of observations in memory: 10,000 device sessions a second for ten seconds. */
const MOST = 100_000

export function activityRecorder<One extends Seen>({
  activities,
  onError,
  onForgotten,
  everyMs = EVERY_MS,
  most = MOST,
}: RecorderDeps<One>): ActivityRecorder<One> {
  let seen = new Map<string, One>()
  let forgotten = 0
  let flushing: Promise<void> | undefined

  const remember = (one: One) => {
    const known = seen.get(one.id)
    if (known ? known.at < one.at : seen.size < most) seen.set(one.id, one)
    else if (!known) forgotten++
  }

  const store = async () => {
    const waiting = [...seen.values()]
    seen = new Map()
    if (forgotten > 0) onForgotten(forgotten)
    forgotten = 0
    // Other processes store theirs in the same order.
    waiting.sort((a, b) => (a.id < b.id ? -1 : 1))
    for (let start = 0; start < waiting.length; start += SEEN_AT_ONCE) {
      try {
        await activities.saw(waiting.slice(start, start + SEEN_AT_ONCE))
      } catch (error) {
        // The database is probably away, so the rest also waits for the next time.
        for (const one of waiting.slice(start)) remember(one)
        return onError(error)
      }
    }
  }

  const flush = () => {
    flushing ??= store().finally(() => {
      flushing = undefined
    })
    return flushing
  }

  const timer = setInterval(flush, everyMs).unref()

  return {
    saw: remember,
    flush,
    async stop() {
      clearInterval(timer)
      await flushing
      await flush()
    },
  }
}
