/**
 * What a node remembers from the database between requests: only what grants access, only while the node receives every
 * change (`cache-freshness.ts`), and never anything read before a change that it has received.
 */
import { LRUCache } from 'lru-cache'
import type { CacheFreshness } from './cache-freshness.ts'
import type { ChangeKind } from './row-change.ts'

export interface Memory<T> {
  /** The value remembered under this key; undefined if there is none, or none may be used. */
  peek(key: string): T | undefined
  /** The value remembered under this key, or else what `read` finds. */
  find<Found extends T | undefined>(key: string, read: () => Promise<Found>): Promise<T | Found>
  readonly size: number
}

export interface MemoryOptions<T> {
  /** The label in the metrics. */
  readonly name: string
  /**
   * The value is forgotten when one of these rows changes; undefined for a value that must not be remembered. Of one
   * value it always returns the same.
   */
  readonly dependsOn: (value: T) => readonly Dependency[] | undefined
  /** How many values are remembered: those used last. */
  readonly most?: number
  /** In place of how many values one counts, a whole number: clients decide how large some are. Default: 1. */
  readonly countsAs?: (value: T) => number
}

const MOST = 20_000
/** In case rows change while triggers are off. With a minute, what is in use all the time was read too often. */
const LONGEST_MS = 600_000

export function createMemory<T extends object>(
  freshness: Pick<CacheFreshness, 'current' | 'position' | 'subscribe' | 'memories'>,
  { name, dependsOn, most = MOST, countsAs = () => 1 }: MemoryOptions<T>,
): Memory<T> {
  const counts = { hits: 0, misses: 0, bypassed: 0 }
  const keys = new KeysByRow()
  const remembered = new LRUCache<string, T>({
    // By number it would take the memory of the most from the start, 5 MB for 100,000.
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
      // What the read depends on is only known at its end. Asked first: that may receive a change.
      if (!value || !rows || !freshness.current(...rows.map(({ kind }) => kind))) return value
      // A change received during the read may affect it.
      if (freshness.position !== position) return value
      remembered.set(key, value)
      // One that is too large is not.
      if (remembered.has(key)) for (const row of rows) keys.add(row, key)
      return value
    },
    get size() {
      return remembered.size
    },
  }
}

/** A row, or without an id any row of its kind: also one that does not exist yet. */
interface Dependency {
  readonly kind: ChangeKind
  readonly id?: string
}

class KeysByRow {
  // By id inside a kind: a text of both for each row would take more than all the rest. Most rows have one key: a set
  // for each would take as much.
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

  /** As of now, whatever is removed while they are read. */
  of({ kind, id = ANY }: Dependency): readonly string[] {
    const known = this.#kinds.get(kind)?.get(id)
    if (known === undefined) return []
    return typeof known === 'string' ? [known] : [...known]
  }
}

/** No id is empty. */
const ANY = ''
