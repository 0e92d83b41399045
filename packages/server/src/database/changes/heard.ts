/** What both feeds share: who is told of a change, and how many there were. */
import type { ChangeFeed } from './change-feed.ts'
import type { RowChange } from './row-change.ts'

export class Heard implements Pick<ChangeFeed, 'position' | 'subscribe' | 'memories'> {
  readonly memories: ChangeFeed['memories'] = new Map()
  readonly #subscribers: ((change?: RowChange) => void)[] = []
  #position = 0

  get position(): number {
    return this.#position
  }

  subscribe(heard: (change?: RowChange) => void): void {
    this.#subscribers.push(heard)
  }

  /** Without a change: anything may have changed. */
  protected hear(change?: RowChange): void {
    this.#position++
    for (const heard of this.#subscribers) heard(change)
  }
}
