/**
 * What a node remembers of the database between requests: only what lets somebody in, only while it hears of every
 * change (`change-feed.ts`), and never what was read before a change that it has heard of.
 */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'
import type { RowChange } from './row-change.ts'

export interface Memory<T> {
  /** What is remembered by this key, or what `read` finds. */
  find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
  readonly size: number
}

export interface MemoryOptions<T> {
  /** What watchers know it by. */
  readonly name: string
  /** Rows whose change makes the value forgotten; undefined for a value that is not remembered at all. */
  readonly dependsOn: (value: T) => readonly RowChange[] | undefined
  readonly most?: number
}

const MOST = 20_000
/** In case somebody changes rows with triggers switched off. */
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
      // A change that was heard meanwhile may be of what was read before it. Which, is not known before it is read.
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
