/**
 * A node's cache of the database between requests. It caches only what grants access, only while the node receives
 * every change (`cache-freshness.ts`), and nothing that was read before a change the node has received.
 */
import { LRUCache } from 'lru-cache'
import type { CacheFreshness } from './cache-freshness.ts'
import type { ChangeKind } from './row-change.ts'

export interface Memory<T> {
  /** Returns the value cached under this key; undefined if there is none or the cache can't be trusted now. */
  peek(key: string): T | undefined
  /** Returns the value cached under this key, or else the result of `read`. */
  find<Found extends T | undefined>(key: string, read: () => Promise<Found>): Promise<T | Found>
  readonly size: number
}

export interface MemoryOptions<T> {
  /** The cache's label in the metrics. */
  readonly name: string
  /** Returns, always the same, the rows whose changes make it forget the value; undefined for a value not to cache. */
  readonly dependsOn: (value: T) => readonly Dependency[] | undefined
  /** The maximum number of values in the cache, which keeps the most recently used ones. */
  readonly most?: number
  /** How many values this one counts as, a whole number: clients decide how large some are. Default: 1. */
  readonly countsAs?: (value: T) => number
}

const MOST = 20_000
/** The longest time in the cache, in case rows change while triggers are off. A minute is too short for busy rows. */
const LONGEST_MS = 600_000

export function createMemory<T extends object>(
  freshness: Pick<CacheFreshness, 'current' | 'position' | 'subscribe' | 'memories'>,
  { name, dependsOn, most = MOST, countsAs = () => 1 }: MemoryOptions<T>,
): Memory<T> {
  const counts = { hits: 0, misses: 0, bypassed: 0 }
  const keys = new KeysByRow()
  const remembered = new LRUCache<string, T>({
    // With `max`, it would allocate the memory of all entries at the start, 5 MB for 100,000.
    maxSize: most,
    sizeCalculation: countsAs,
    ttl: LONGEST_MS,
    dispose: (value, key) => {
      for (const row of dependsOn(value) ?? []) keys.remove(row, key)
    },
  })
  const forget = (row: Dependency) => {
    for (const key of keys.of(row)) remembered.delete(key)
  }
  freshness.subscribe((change) => {
    if (!change) return remembered.clear()
    forget({ kind: change.kind })
    forget(change)
  })
  freshness.memories.set(name, () => ({ ...counts, size: remembered.size }))
  const known = (key: string): T | undefined => {
    const found = remembered.get(key)
    if (found) counts.hits++
    return found
  }

  return {
    peek: (key) => (freshness.current() ? known(key) : undefined),

    async find(key, read) {
      if (!freshness.current()) {
        counts.bypassed++
        return read()
      }
      const found = known(key)
      if (found) return found
      counts.misses++
      const { position } = freshness
      const value = await read()
      const rows = value && dependsOn(value)
      // Only now are the rows known. Calling `current` can receive a change, so call it before comparing positions.
      if (!value || !rows || !freshness.current(...rows.map(({ kind }) => kind))) return value
      // The read may be affected by a change received during it.
      if (freshness.position !== position) return value
      remembered.set(key, value)
      // A value that is too large was not stored.
      if (remembered.has(key)) for (const row of rows) keys.add(row, key)
      return value
    },
    get size() {
      return remembered.size
    },
  }
}

/** A row, or without an id any row of its kind, including one that does not exist yet. */
interface Dependency {
  readonly kind: ChangeKind
  readonly id?: string
}

class KeysByRow {
  // By id within a kind: a string with both for each row would need more memory than all the rest. Most rows
  // have one key, and a set for each would need as much.
  readonly #kinds = new Map<ChangeKind, Map<string, string | Set<string>>>()

  add({ kind, id = ANY }: Dependency, key: string): void {
    const rows = this.#kinds.get(kind) ?? new Map<string, string | Set<string>>()
    this.#kinds.set(kind, rows)
    const known = rows.get(id)
    if (known === undefined || known === key) rows.set(id, key)
    else if (typeof known === 'string') rows.set(id, new Set([known, key]))
    else known.add(key)
  }

  remove({ kind, id = ANY }: Dependency, key: string): void {
    const rows = this.#kinds.get(kind)
    const known = rows?.get(id)
    if (known === key) rows?.delete(id)
    else if (known instanceof Set && known.delete(key) && known.size === 0) rows?.delete(id)
  }

  /** Returns the keys at this moment, even if some are removed while the caller reads them. */
  of({ kind, id = ANY }: Dependency): readonly string[] {
    const known = this.#kinds.get(kind)?.get(id)
    if (known === undefined) return []
    return typeof known === 'string' ? [known] : [...known]
  }
}

/** No id is empty. */
const ANY = ''
