/** Announces waits that look like a hang: after a second, and then repeatedly. */

/** Receives a sentence that names the cause of a wait. */
export type OnWait = (sentence: string) => void

/** Runs `work`. After a second, asks `reason` for the cause: a sentence, or undefined if nothing blocks it. */
export type Announcing = <T>(
  work: () => Promise<T>,
  reason: () => string | undefined | Promise<string | undefined>,
) => Promise<T>

const FIRST_MS = 1_000
/** One lock can be free after a second, and the next wait be for another, so `reason` is asked this often. */
const LOOK_MS = 250
const REPEAT_MS = 10_000

/** Announces the same sentence at most every ten seconds, even if many callers wait at once. */
export function announcingTo(onWait: OnWait): Announcing {
  const saidAt = new Map<string, number>()
  const say = (sentence: string | undefined) => {
    if (sentence === undefined) return
    const now = performance.now()
    if (now - (saidAt.get(sentence) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return
    // Sentences name processes, so new ones keep coming.
    if (saidAt.size > 100) saidAt.clear()
    saidAt.set(sentence, now)
    onWait(sentence)
  }
  return async (work, reason) => {
    let over = false
    let timer: NodeJS.Timeout
    const look = async () => {
      // If the reason can't be found, announce nothing: the work itself will fail with its own error.
      const sentence = await Promise.resolve(reason()).catch(() => undefined)
      if (over) return
      say(sentence)
      timer = setTimeout(look, LOOK_MS).unref()
    }
    timer = setTimeout(look, FIRST_MS).unref()
    try {
      return await work()
    } finally {
      over = true
      clearTimeout(timer)
    }
  }
}
