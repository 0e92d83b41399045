/** Decides when to replace a worker that died: at once if it had run well, later each time if workers die on start. */

interface Death {
  /** How long it listened, in milliseconds; undefined if it never did. */
  readonly listenedFor: number | undefined
  /** The exit code; undefined after a signal. */
  readonly exitCode: number | undefined
}

export interface BackOff {
  /** Returns the milliseconds to wait, or `give-up`. */
  after(death: Death): number | 'give-up'
}

/** A worker that listened for this long did not die because of its start. */
const GOOD_LIFE_MS = 1_000
const SHORTEST_MS = 100
const LONGEST_MS = 5_000
const IN_A_ROW = 5

/** `waitingCode` is the exit code of a worker whose database was unavailable, which never counts towards giving up. */
export function backOff({ waitingCode }: { readonly waitingCode: number }): BackOff {
  let early = 0
  let fatal = 0
  return {
    after: ({ listenedFor, exitCode }) => {
      if (listenedFor !== undefined && listenedFor >= GOOD_LIFE_MS) {
        early = 0
        fatal = 0
        return SHORTEST_MS
      }
      early += 1
      if (exitCode !== waitingCode) fatal += 1
      return fatal >= IN_A_ROW ? 'give-up' : Math.min(SHORTEST_MS * 2 ** (early - 1), LONGEST_MS)
    },
  }
}
