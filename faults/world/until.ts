/** Waits for events without depending on the speed of the machine. */
import { sleep } from './processes.ts'

/** Longer than anything that works takes on any machine. */
export const HANGS_AFTER_MS = 600_000

interface Waiting {
  /** The milliseconds between two checks. */
  readonly everyMs?: number
}

/** Waits until `condition` returns a value, and returns it. Throws an Error that names `what` if it never does. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { everyMs = 100 }: Waiting = {},
): Promise<T> {
  for (const deadline = performance.now() + HANGS_AFTER_MS; ; await sleep(everyMs)) {
    const found = await condition()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) {
      throw new Error(`gave up after ${HANGS_AFTER_MS / 60_000} minutes waiting for ${what}`)
    }
  }
}
