/**
 * What a node remembers from the database between requests: only what grants access, only while the node hears of
 * every change (`change-feed.ts`), and never anything read before a change it has heard of.
 */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'
import type { RowChange } from './row-change.ts'

export interface Memory<T> {
  /** The value remembered under this key, or else what `read` finds. */
  find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
  readonly size: number
}

export interface MemoryOptions<T> {
  /** The label in the metrics. */
  readonly name: string
  /** The value is forgotten when one of these rows changes; undefined for a value that must not be remembered. */
  readonly dependsOn: (value: T) => readonly RowChange[] | undefined
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
  const keysOf = new Map<string, Set<string>>()
  const remembered = new LRUCache<string, { readonly value: T; readonly changes: readonly RowChange[] }>({
    max: most,
    ttl: LONGEST_MS,
    dispose: ({ changes }, key) => {
      for (const name of changes.map(nameOf)) {
        const keys = keysOf.get(name)
        keys?.delete(key)
        if (keys?.size === 0) keysOf.delete(name)
      }
    },
  })
  feed.subscribe((change) => {
    if (!change) remembered.clear()
    else for (const key of [...(keysOf.get(nameOf(change)) ?? [])]) remembered.delete(key)
  })
  feed.memories.set(name, () => ({ ...counts, size: remembered.size }))

  return {
    async find(key, read) {
      if (!feed.current()) {
        counts.bypassed++
        return read()
      }
      const known = remembered.get(key)
      if (known) {
        counts.hits++
        return known.value
      }
      counts.misses++
      const { position } = feed
      const value = await read()
      const changes = value && dependsOn(value)
      // A change heard during the read may affect it; what the read depends on is only known at its end.
      if (!value || !changes || feed.position !== position) return value
      remembered.set(key, { value, changes })
      for (const name of changes.map(nameOf)) {
        const keys = keysOf.get(name) ?? new Set()
        keysOf.set(name, keys.add(key))
      }
      return value
    },
    get size() {
      return remembered.size
    },
  }
}

const nameOf = ({ kind, id }: RowChange): string => `${kind} ${id}`
