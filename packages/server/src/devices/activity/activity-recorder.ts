/**
 * Remembers in this process which devices were seen, and stores it every few seconds, so that no device waits for it. A
 * process that is killed loses what it has not stored: the device is seen again when it refreshes its session.
 */
import type { DeviceId } from '@ratafia/api'
import { type ActivityStore, SEEN_AT_ONCE } from './activity-store.ts'
import type { SeenDevice } from './device-activity.ts'

export interface ActivityRecorder {
  /** Only remembers it. */
  saw(seen: SeenDevice): void
  /** Stores what is remembered; never throws. */
  flush(): Promise<void>
  /** Stores what is left, and ends. */
  stop(): Promise<void>
}

interface RecorderDeps {
  readonly activities: Pick<ActivityStore, 'saw'>
  /** Of a batch that was not stored, and is tried again. */
  readonly onError: (error: unknown) => void
  /** Of devices that are forgotten, because too many are remembered already. */
  readonly onForgotten: (devices: number) => void
  readonly everyMs?: number
  readonly most?: number
}

const EVERY_MS = 10_000

/** What 10,000 sessions a second see in ten seconds. */
const MOST = 100_000

export function activityRecorder({
  activities,
  onError,
  onForgotten,
  everyMs = EVERY_MS,
  most = MOST,
}: RecorderDeps): ActivityRecorder {
  let seen = new Map<DeviceId, SeenDevice>()
  let forgotten = 0
  let flushing: Promise<void> | undefined

  const remember = (one: SeenDevice) => {
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
