/**
 * Keys in memory, as they lie in the database. Rows are only ever added, with ids that count up, and a row never
 * changes: so a known key needs no look-up, and what is new is what has a greater id.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyringError } from './errors.ts'

export interface KeySource<Key extends { readonly id: number }> {
  /** In ascending order. */
  newerThan(id: number): Promise<Key[]>
  /** False if another process took the id meanwhile. */
  add(key: Key): Promise<boolean>
}

export interface CacheTimes {
  /** {@link KeyCache.fresh} looks for keys of other processes when its answer is older than this. */
  readonly refreshMs: number
  /** {@link KeyCache.find} looks for an unknown key at most this often, whoever asks for what. */
  readonly lookupMs: number
}

/** Nobody rotates this often between two looks: ids further ahead are made up. */
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

  /** The key, also if another process has added it just now; undefined if there is none. */
  async find(id: number): Promise<Key | undefined> {
    const newest = this.#newest()
    if (id > newest && id <= newest + PLAUSIBLE_STEPS) await this.lookUp()
    return this.#byId.get(id)
  }

  /** Looks for keys of other processes now. */
  async read(): Promise<void> {
    const startedAt = performance.now()
    for (const key of await this.#source.newerThan(this.#newest())) this.#keep(key)
    this.#readAt = startedAt
  }

  /**
   * Adds what `make` makes for the next free id, unless `exists` finds that one such key is there. `store` may be given
   * to store more with it: false if another process took the id meanwhile.
   */
  async add(
    make: (id: number) => Key,
    {
      exists = () => false,
      store = (key) => this.#source.add(key),
    }: { exists?: (key: Key) => boolean; store?: (key: Key) => Promise<boolean> } = {},
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
   * Looks for keys that another process has added just now, at most once every `lookupMs`.
   * Everyone who asks before a look-up has begun shares it: hostile ids cost one query a second. One that has
   * begun is not joined: it may have missed the key that is asked for.
   */
  lookUp(): Promise<void> {
    this.#nextLookup ??= this.#lookupWhenDue()
    return this.#nextLookup
  }

  /**
   * While the secret key is changed another node may have added what this one cannot open: it goes on with the keys
   * it has, and only what was made with that one could not be checked here.
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
