/** The keys of the database, in memory. Rows never change, and are only added, with ascending ids. */
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyringError } from './errors.ts'

export interface KeySource<Key extends { readonly id: number }> {
  /** Returns keys in ascending order. */
  newerThan(id: number): Promise<Key[]>
  /** Adds a key. Returns false if another process has taken the id. */
  add(key: Key): Promise<boolean>
}

export interface CacheTimes {
  /** {@link KeyCache.fresh} looks for other processes' keys if its last read is older than this. */
  readonly refreshMs: number
  /** {@link KeyCache.lookUp} looks for new keys at most this often, for all callers together. */
  readonly lookupMs: number
}

/** How long a key that was not found is not looked for again. */
const ABSENT_MS = 10_000
/** How many absent keys are noted, more than a restored backup can lack. */
const MOST_ABSENT = 1_000

export class KeyCache<Key extends { readonly id: number }> {
  readonly #source: KeySource<Key>
  readonly #times: CacheTimes
  readonly #byId = new Map<number, Key>()
  #newestFirst: readonly Key[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #lookedUpAt = Number.NEGATIVE_INFINITY
  /** When the last successful read began: it found every key added before that. */
  #completeAt = Number.NEGATIVE_INFINITY
  /** When each absent key can be looked for again. */
  readonly #absentUntil = new Map<number, number>()
  #refreshing: Promise<void> | undefined
  #nextLookup: Promise<void> | undefined

  constructor(source: KeySource<Key>, times: CacheTimes) {
    this.#source = source
    this.#times = times
  }

  /** Returns all keys, newest first, from a read at most `refreshMs` ago. */
  async fresh(): Promise<readonly Key[]> {
    if (performance.now() - this.#readAt > this.#times.refreshMs) {
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = undefined
      })
      await this.#refreshing
    }
    return this.#newestFirst
  }

  /** Returns a key if it is in memory. */
  known(id: number): Key | undefined {
    return this.#byId.get(id)
  }

  /** Returns the very first key: every process has it from its start, and it never changes. */
  first(): Key | undefined {
    return this.#newestFirst.at(-1)
  }

  /**
   * Returns the key, even if another process added it a moment ago; undefined if it does not exist. `since`,
   * by `performance.now()`, is when the caller's request arrived. A key that the request names is older, so a
   * request for several unknown keys waits for one look-up. Call it only with proof that the key was created:
   * after a restore it may be missing, and each miss costs a wait.
   */
  async find(id: number, since: number): Promise<Key | undefined> {
    if (id <= this.#newest() || this.#isAbsent(id)) return this.#byId.get(id)
    if (this.#completeAt < since) await this.lookUp()
    const key = this.#byId.get(id)
    if (!key) this.#noteAbsent(id)
    return key
  }

  /** Reads other processes' keys now. */
  async read(): Promise<void> {
    const startedAt = performance.now()
    for (const key of await this.#source.newerThan(this.#newest())) this.#keep(key)
    this.#readAt = startedAt
    this.#completeAt = startedAt
  }

  /**
   * Adds the key that `make` returns for the next free id, unless `exists` is true for a key that is already there.
   * With `store`, a caller can store more along with the key; it returns false if another process has taken the id.
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
   * look-up. They do not join one that has begun, because it may have missed their key.
   */
  lookUp(): Promise<void> {
    this.#nextLookup ??= this.#lookupWhenDue()
    return this.#nextLookup
  }

  /**
   * Reads new keys, and continues with the known ones if it can't open a new one. While the secret key is
   * being changed, another node may have added a key that this node can't open; then only what that key
   * created can't be checked here.
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

  #isAbsent(id: number): boolean {
    return performance.now() < (this.#absentUntil.get(id) ?? 0)
  }

  #noteAbsent(id: number): void {
    if (this.#absentUntil.size >= MOST_ABSENT) this.#absentUntil.clear()
    this.#absentUntil.set(id, performance.now() + ABSENT_MS)
  }

  #newest(): number {
    return this.#newestFirst[0]?.id ?? 0
  }

  #keep(key: Key): void {
    // Two concurrent reads find the same rows.
    if (key.id <= this.#newest()) return
    this.#byId.set(key.id, key)
    this.#absentUntil.clear()
    this.#newestFirst = [key, ...this.#newestFirst]
  }
}
