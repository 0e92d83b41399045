/** Waits in a test until something has happened. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Far longer than anything takes, even on a machine that is busy with other tests. */
const DEADLINE_MS = 150_000

/** The machine's clock, even if a test stops its own. */
const now = performance.now.bind(performance)

/** Calls `look` repeatedly until it finds something, and returns it. */
export async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = now() + DEADLINE_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (now() > deadline) assert.fail(`this did not happen within ${DEADLINE_MS} ms: ${what}`)
    await sleep(20)
  }
}

/** Repeats `check` until its assertions pass. At the deadline, throws the last failure. */
export async function eventuallyPasses(check: () => Promise<void>): Promise<void> {
  for (const deadline = now() + DEADLINE_MS; ; await sleep(20)) {
    try {
      return await check()
    } catch (error) {
      if (now() > deadline) throw error
    }
  }
}
