/**
 * What a node remembers from the database between requests: only what grants access, only while the node hears of
 * every change (`change-feed.ts`), and never anything read before a change it has heard of.
 */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'
import { KeysByRow } from './keys-by-row.ts'
import type { ChangeKind } from './row-change.ts'

export interface Memory<T> {
  /** The value remembered under this key; undefined if there is none, or none may be used. */
  peek(key: string): T | undefined
  /** The value remembered under this key, or else what `read` finds. */
  find<Found extends T | undefined>(key: string, read: () => Promise<Found>): Promise<T | Found>
  readonly size: number
}

/** A row, or any row of its kind: also one that does not exist yet. */
export interface Dependency {
  readonly kind: ChangeKind
  readonly id?: string
}

export interface MemoryOptions<T> {
  /** The label in the metrics. */
  readonly name: string
  /** The value is forgotten when one of these rows changes; undefined for a value that must not be remembered. */
  readonly dependsOn: (value: T) => readonly Dependency[] | undefined
  /** How many values are remembered: those used last. */
  readonly most?: number
}

const MOST = 20_000
/** In case rows change while triggers are off. */
const LONGEST_MS = 60_000

export function createMemory<T extends object>(
  feed: Pick<ChangeFeed, 'current' | 'position' | 'subscribe' | 'memories'>,
  { name, dependsOn, most = MOST }: MemoryOptions<T>,
): Memory<T> {
  const counts = { hits: 0, misses: 0, bypassed: 0 }
  const keys = new KeysByRow()
  const remembered = new LRUCache<string, { readonly value: T; readonly rows: readonly string[] }>({
    max: most,
    ttl: LONGEST_MS,
    dispose: ({ rows }, key) => {
      for (const row of rows) keys.remove(row, key)
    },
  })
  const forget = (row: string) => {
    for (const key of keys.of(row)) remembered.delete(key)
  }
  feed.subscribe((change) => {
    if (!change) return remembered.clear()
    forget(change.kind)
    forget(nameOf(change))
  })
  feed.memories.set(name, () => ({ ...counts, size: remembered.size }))
  const known = (key: string): T | undefined => {
    const found = remembered.get(key)
    if (found) counts.hits++
    return found?.value
  }

  return {
    peek: (key) => (feed.current() ? known(key) : undefined),

    async find(key, read) {
      if (!feed.current()) {
        counts.bypassed++
        return read()
      }
      const found = known(key)
      if (found) return found
      counts.misses++
      const { position } = feed
      const value = await read()
      const rows = value && dependsOn(value)?.map(nameOf)
      // A change heard during the read may affect it; what the read depends on is only known at its end.
      if (!value || !rows || feed.position !== position) return value
      remembered.set(key, { value, rows })
      for (const row of rows) keys.add(row, key)
      return value
    },
    get size() {
      return remembered.size
    },
  }
}

/** No id is empty: `kind` alone stands for every row of it. */
const nameOf = ({ kind, id }: Dependency): string => (id === undefined ? kind : `${kind} ${id}`)
