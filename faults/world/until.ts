/** Waiting for an event, without depending on how fast the machine is. */
import { sleep } from './processes.ts'

/** Nothing that works takes as long, on any machine: the limit only ends what hangs. */
export const HANGS_AFTER_MS = 600_000

interface Waiting {
  /** Milliseconds between two looks. */
  readonly everyMs?: number
}

/** Waits until `condition` returns something, and returns that. Throws an Error that names `what` if it never does. */
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
