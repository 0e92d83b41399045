/** Waits that a person would take for a hang: they are announced after a second, and then now and again. */

/** Gets a sentence about what is waited for. */
export type OnWait = (sentence: string) => void

/** Runs `work`. While it takes longer than a second, `reason` is asked for a sentence: undefined, it waits for nothing. */
export type Announcing = <T>(
  work: () => Promise<T>,
  reason: () => string | undefined | Promise<string | undefined>,
) => Promise<T>

const FIRST_MS = 1_000
/** A wait for one lock may be over after a second, and another follow. */
const LOOK_MS = 250
const REPEAT_MS = 10_000

/** Says the same sentence at most every ten seconds, however many wait at once. */
export function announcingTo(onWait: OnWait): Announcing {
  const saidAt = new Map<string, number>()
  const say = (sentence: string | undefined) => {
    if (sentence === undefined) return
    const now = performance.now()
    if (now - (saidAt.get(sentence) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return
    // Sentences name processes, and those are ever new ones.
    if (saidAt.size > 100) saidAt.clear()
    saidAt.set(sentence, now)
    onWait(sentence)
  }
  return async (work, reason) => {
    let over = false
    let timer: NodeJS.Timeout
    const look = async () => {
      // What cannot be found out is not said: the work itself ends with its own error.
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
