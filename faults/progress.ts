/** Records what a run is doing, so that a run that gives up can report it. */

export class Progress {
  #stage = 'had not begun'
  #gaveUp = false
  readonly #open = new Map<symbol, string>()

  /** Sets the current stage, in the past tense, as in "it started the nodes". */
  enter(stage: string): void {
    this.#stage = stage
  }

  /** Resolves as `work` does, and lists it as `what` until then. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    const id = Symbol(what)
    this.#open.set(id, what)
    try {
      return await work
    } finally {
      this.#open.delete(id)
    }
  }

  /** Whether the run ended before its checks. Then everything that still runs must end. */
  get gaveUp(): boolean {
    return this.#gaveUp
  }

  giveUp(): void {
    this.#gaveUp = true
  }

  get stage(): string {
    return this.#stage
  }

  /** The unfinished work with its numbers, for example `3 × whoami at node 1`. */
  get waitsFor(): readonly string[] {
    const times = new Map<string, number>()
    for (const what of this.#open.values()) times.set(what, (times.get(what) ?? 0) + 1)
    return [...times].map(([what, count]) => (count === 1 ? what : `${count} × ${what}`))
  }
}

/** Returns a message about a long run, which helps to distinguish a run that hangs from a slow machine. */
export const stillRuns = (name: string, minutes: number, { stage, waitsFor }: Progress): string =>
  `${name} is still running after ${minutes} minutes: it last ${stage}, and is waiting for ${listed(waitsFor)}`

const listed = (waitsFor: readonly string[]): string =>
  waitsFor.length === 0 ? 'nothing' : waitsFor.join(', ')

/** Returns what a run that gave up was doing, what it waited for, and the last lines of its nodes' logs. */
export function lastWords(
  why: unknown,
  { stage, waitsFor }: Progress,
  nodes: readonly { readonly name: string; readonly log: { readonly tail: string } }[],
): string {
  return [
    `gave up when it ${stage}: ${why instanceof Error ? (why.stack ?? why.message) : String(why)}`,
    `it waited for: ${listed(waitsFor)}`,
    ...nodes.map(({ name, log }) => `the log of ${name} ends with:\n${log.tail || '(empty)'}`),
  ].join('\n')
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
