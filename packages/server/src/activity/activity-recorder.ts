/**
 * Remembers in this process when devices were seen or tokens used, and stores it every few seconds, so that no request
 * waits for it. A process that is killed loses what it has not stored: nobody decides anything by those seconds.
 */

/** One time that something was seen. */
export interface Seen {
  readonly id: string
  readonly at: Date
}

export interface ActivityRecorder<One extends Seen> {
  /** Only remembers it. */
  saw(seen: One): void
  /** Stores what is remembered; never throws. */
  flush(): Promise<void>
  /** Stores what is left, and ends. */
  stop(): Promise<void>
}

interface RecorderDeps<One extends Seen> {
  /** Takes one of each id, at most 1,000, in their order. */
  readonly activities: { saw(seen: readonly One[]): Promise<void> }
  /** Of a batch that was not stored, and is tried again. */
  readonly onError: (error: unknown) => void
  /** How many are forgotten, because too many are remembered already. */
  readonly onForgotten: (many: number) => void
  readonly everyMs?: number
  readonly most?: number
}

/** Rows of one statement. */
const SEEN_AT_ONCE = 1000

const EVERY_MS = 10_000

/** What 10,000 sessions of devices a second see in ten seconds. */
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
    // In the order in which other processes store theirs.
    waiting.sort((a, b) => (a.id < b.id ? -1 : 1))
    for (let start = 0; start < waiting.length; start += SEEN_AT_ONCE) {
      try {
        await activities.saw(waiting.slice(start, start + SEEN_AT_ONCE))
      } catch (error) {
        // The database is away most likely: the rest waits for the next time too.
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
