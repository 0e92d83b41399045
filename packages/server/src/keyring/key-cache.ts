/**
 * The keys of the database, in memory. Rows are only ever added, with ascending ids, and never change: so a known key
 * needs no look-up, and new keys are those with a greater id.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyringError } from './errors.ts'

export interface KeySource<Key extends { readonly id: number }> {
  /** In ascending order. */
  newerThan(id: number): Promise<Key[]>
  /** False if another process has taken the id. */
  add(key: Key): Promise<boolean>
}

export interface CacheTimes {
  /** {@link KeyCache.fresh} looks for other processes' keys if its answer is older than this. */
  readonly refreshMs: number
  /** {@link KeyCache.find} looks for unknown keys at most this often, all callers together. */
  readonly lookupMs: number
}

/** No operator rotates this often between two look-ups: ids further ahead are made up. */
const PLAUSIBLE_STEPS = 1_000

export class KeyCache<Key extends { readonly id: number }> {
  readonly #source: KeySource<Key>
  readonly #times: CacheTimes
  readonly #byId = new Map<number, Key>()
  #newestFirst: readonly Key[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #lookedUpAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined
  #nextLookup: Promise<void> | undefined

  constructor(source: KeySource<Key>, times: CacheTimes) {
    this.#source = source
    this.#times = times
  }

  /** All keys, newest first, as of at most `refreshMs` ago. */
  async fresh(): Promise<readonly Key[]> {
    if (performance.now() - this.#readAt > this.#times.refreshMs) {
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = undefined
      })
      await this.#refreshing
    }
    return this.#newestFirst
  }

  /** The key, even if another process added it a moment ago; undefined if it does not exist. */
  async find(id: number): Promise<Key | undefined> {
    const newest = this.#newest()
    if (id > newest && id <= newest + PLAUSIBLE_STEPS) await this.lookUp()
    return this.#byId.get(id)
  }

  /** Looks for other processes' keys now. */
  async read(): Promise<void> {
    const startedAt = performance.now()
    for (const key of await this.#source.newerThan(this.#newest())) this.#keep(key)
    this.#readAt = startedAt
  }

  /**
   * Adds the key that `make` returns for the next free id, unless `exists` is true for a key that is already there. A
   * caller can pass `store` to store more along with the key; it returns false if another process has taken the id.
   */
  async add(
    make: (id: number) => Key,
    {
      exists = () => false,
      store = (key) => this.#source.add(key),
    }: { exists?: (key: Key) => boolean; store?: ((key: Key) => Promise<boolean>) | undefined } = {},
  ): Promise<Key> {
    for (;;) {
      await this.read()
      const existing = this.#newestFirst.find(exists)
      if (existing) return existing
      const key = make(this.#newest() + 1)
      if (await store(key)) {
        this.#keep(key)
        return key
      }
    }
  }

  /**
   * Looks for keys that another process added a moment ago, at most once every `lookupMs`. All callers share the next
   * look-up: hostile ids cost one query a second. They do not join one that has begun: it may have missed their key.
   */
  lookUp(): Promise<void> {
    this.#nextLookup ??= this.#lookupWhenDue()
    return this.#nextLookup
  }

  /**
   * While the secret key is being changed, another node may have added a key that this one cannot open. Carry on with
   * the keys there are: only what was made with the new one cannot be checked here.
   */
  async #refresh(): Promise<void> {
    try {
      await this.read()
    } catch (error) {
      if (!(error instanceof KeyringError) || this.#newestFirst.length === 0) throw error
      this.#readAt = performance.now()
    }
  }

  async #lookupWhenDue(): Promise<void> {
    await sleep(Math.max(0, this.#lookedUpAt + this.#times.lookupMs - performance.now()))
    this.#nextLookup = undefined
    this.#lookedUpAt = performance.now()
    await this.read()
  }

  #newest(): number {
    return this.#newestFirst[0]?.id ?? 0
  }

  #keep(key: Key): void {
    // Two reads at once find the same rows.
    if (key.id <= this.#newest()) return
    this.#byId.set(key.id, key)
    this.#newestFirst = [key, ...this.#newestFirst]
  }
}
