/** Whether a process can use its caches. It receives all processes' changes, and knows when it may have missed one. */
import type { ChangeKind, RowChange } from './row-change.ts'

export interface CacheFreshness {
  /**
   * Whether every change committed before now has been received; on PostgreSQL, every change committed over
   * half a second ago. On SQLite this looks at the file (some 1.5 µs); on PostgreSQL it only looks at the
   * clock. With kinds of rows it is also false if changes of one of them might not be announced. Don't cache
   * anything that depends on such rows.
   */
  current(...kinds: readonly ChangeKind[]): boolean
  /** Increases with each received change, and after each gap in receiving them. */
  readonly position: number
  /** Calls back as soon as a change is received, or without an argument when anything may have changed. */
  subscribe(onChange: (change?: RowChange) => void): void
  /** The caches that rely on this, by name. */
  readonly memories: Map<string, () => MemoryState>
  /** How outdated the process may be, in milliseconds; infinite while it receives nothing. */
  lag(): number
  close(): Promise<void>
}

/** The size of one cache and how often it helped, for metrics. */
interface MemoryState {
  readonly size: number
  readonly hits: number
  readonly misses: number
  /** Look-ups while the cache could not be trusted. */
  readonly bypassed: number
}

/** The part that both databases share: the subscribers, and the number of changes so far. */
export class ChangeSubscribers implements Pick<CacheFreshness, 'position' | 'subscribe' | 'memories'> {
  readonly memories: CacheFreshness['memories'] = new Map()
  #unannounced: ReadonlySet<ChangeKind> = new Set()
  readonly #subscribers: ((change?: RowChange) => void)[] = []
  #position = 0

  get position(): number {
    return this.#position
  }

  subscribe(onChange: (change?: RowChange) => void): void {
    this.#subscribers.push(onChange)
  }

  protected allAnnounced(kinds: readonly ChangeKind[]): boolean {
    return kinds.every((kind) => !this.#unannounced.has(kind))
  }

  /** Sets the unannounced kinds, only while {@link CacheFreshness.current} is false. Subscribers forget everything. */
  protected setUnannounced(kinds: ReadonlySet<ChangeKind>): void {
    this.#unannounced = kinds
    this.tell()
  }

  /** Tells subscribers about a change; without one, that anything may have changed. */
  protected tell(change?: RowChange): void {
    this.#position++
    for (const onChange of this.#subscribers) onChange(change)
  }
}
