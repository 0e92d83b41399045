/** Where a run is, so that one that gives up can say so. */

export class Progress {
  #stage = 'had not begun'
  #gaveUp = false
  readonly #open = new Map<symbol, string>()

  /** From now on: what the run did, as in "it started the nodes". */
  enter(stage: string): void {
    this.#stage = stage
  }

  /** Resolves as `work` does, which is listed under `what` until then. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    const id = Symbol(what)
    this.#open.set(id, what)
    try {
      return await work
    } finally {
      this.#open.delete(id)
    }
  }

  /** Whether the run has ended before its checks: what still runs of it must end, too. */
  get gaveUp(): boolean {
    return this.#gaveUp
  }

  giveUp(): void {
    this.#gaveUp = true
  }

  get stage(): string {
    return this.#stage
  }

  /** What has not ended, with how often: `3 × whoami at node 1`. */
  get waitsFor(): readonly string[] {
    const times = new Map<string, number>()
    for (const what of this.#open.values()) times.set(what, (times.get(what) ?? 0) + 1)
    return [...times].map(([what, count]) => (count === 1 ? what : `${count} × ${what}`))
  }
}

/** What a run that takes long is doing, so that a person can tell one that hangs from a slow machine. */
export const stillRuns = (name: string, minutes: number, { stage, waitsFor }: Progress): string =>
  `${name} still runs after ${minutes} minutes: it last ${stage}, and waits for ${listed(waitsFor)}`

const listed = (waitsFor: readonly string[]): string =>
  waitsFor.length === 0 ? 'nothing that it sent' : waitsFor.join(', ')

/** What a run that gave up was doing, what it waited for, and the ends of its nodes' logs. */
export function lastWords(
  why: unknown,
  { stage, waitsFor }: Progress,
  nodes: readonly { readonly name: string; readonly log: { readonly tail: string } }[],
): string {
  return [
    `gave up at the stage at which it ${stage}: ${why instanceof Error ? (why.stack ?? why.message) : String(why)}`,
    `it waited for: ${listed(waitsFor)}`,
    ...nodes.map(({ name, log }) => `the log of ${name} ends with:\n${log.tail || '(empty)'}`),
  ].join('\n')
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
