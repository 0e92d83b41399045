/** Tells a process about the changes of all processes, and whether it has heard about every one. */
import type { ChangeKind, RowChange } from './row-change.ts'

export interface ChangeFeed {
  /**
   * Whether everything has been heard that was committed before now, on PostgreSQL more than half a second before. On
   * SQLite this looks at the file (some 1.5 µs); on PostgreSQL it only looks at the clock. With kinds of rows it is also
   * false if changes of one of them may not be heard even so. What depends on such rows must not be remembered.
   */
  current(...kinds: readonly ChangeKind[]): boolean
  /** Changes with each change that is heard, and after each gap in hearing. */
  readonly position: number
  /** Calls back as soon as a change is heard; without an argument when anything may have changed. */
  subscribe(heard: (change?: RowChange) => void): void
  /** The memories that rely on this feed, by name. */
  readonly memories: Map<string, () => MemoryState>
  /** How outdated the process may be, in milliseconds; infinite while it hears nothing. */
  lag(): number
  close(): Promise<void>
}

/** How much one memory contains, and how often it helped: for metrics. */
interface MemoryState {
  readonly size: number
  readonly hits: number
  readonly misses: number
  /** Look-ups while nothing remembered could be trusted. */
  readonly bypassed: number
}

/** What the feeds of both databases share: who is told of a change, and how many there were. */
export class Heard implements Pick<ChangeFeed, 'position' | 'subscribe' | 'memories'> {
  readonly memories: ChangeFeed['memories'] = new Map()
  #unheard: ReadonlySet<ChangeKind> = new Set()
  readonly #subscribers: ((change?: RowChange) => void)[] = []
  #position = 0

  get position(): number {
    return this.#position
  }

  subscribe(heard: (change?: RowChange) => void): void {
    this.#subscribers.push(heard)
  }

  protected hearsAllOf(kinds: readonly ChangeKind[]): boolean {
    return kinds.every((kind) => !this.#unheard.has(kind))
  }

  /** Only while the feed is not current: whatever is remembered then is forgotten. */
  protected setUnheard(kinds: ReadonlySet<ChangeKind>): void {
    this.#unheard = kinds
    this.hear()
  }

  /** Without a change: anything may have changed. */
  protected hear(change?: RowChange): void {
    this.#position++
    for (const heard of this.#subscribers) heard(change)
  }
}
