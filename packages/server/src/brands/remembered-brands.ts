/** A {@link BrandMemory} that receives changes. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { CacheFreshness, ChangeKind } from '../database/index.ts'
import type { BrandMemory, Remembered } from './brand-memory.ts'

const KINDS: readonly ChangeKind[] = ['assertion', 'trust-root', 'signing-key', 'brand']
const MOST = 2_000
/** A limit in case rows change while triggers are off. */
const LONGEST_MS = 60_000

type Freshness = Pick<CacheFreshness, 'current' | 'subscribe' | 'memories'>

export function rememberedBrands(freshness: Freshness, clock: Clock): BrandMemory {
  const counts = { hits: 0, misses: 0, bypassed: 0 }
  let now: Epoch | undefined
  freshness.subscribe((change) => {
    // A read that has already begun fills the cache that is discarded here, which no later request sees.
    if (!change || KINDS.includes(change.kind)) now = undefined
  })
  freshness.memories.set('brand', () => ({ ...counts, size: now?.size ?? 0 }))
  return {
    current() {
      if (!freshness.current(...KINDS)) {
        counts.bypassed++
        return undefined
      }
      const at = clock().getTime()
      if (!now?.holds(at)) now = new Epoch(at, counts)
      return now
    },
  }
}

/** A cache for the time from one change to the next. */
class Epoch implements Remembered {
  readonly #counts: { hits: number; misses: number }
  readonly #values = new LRUCache<string, object>({ max: MOST })
  readonly #endsAt = performance.now() + LONGEST_MS
  readonly #since: number
  #until = Number.POSITIVE_INFINITY
  readonly checked: Remembered['checked'] = new WeakSet()

  constructor(since: number, counts: { hits: number; misses: number }) {
    this.#since = since
    this.#counts = counts
  }

  get size(): number {
    return this.#values.size
  }

  /** `at` is in milliseconds. A clock that was set back can make a key invalid again. */
  holds(at: number): boolean {
    return at >= this.#since && at < this.#until && performance.now() < this.#endsAt
  }

  expires(at: Date): void {
    if (at.getTime() > this.#since) this.#until = Math.min(this.#until, at.getTime())
  }

  async find<T extends object>(name: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    // A name has one type, because each is built in one place.
    const known = this.#values.get(name) as T | undefined
    if (known) {
      this.#counts.hits++
      return known
    }
    this.#counts.misses++
    const value = await read()
    if (value) this.#values.set(name, value)
    return value
  }
}
