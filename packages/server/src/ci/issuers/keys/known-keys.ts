/** Caches imported keys of issuers in this process. Each revision is read once. */
import { LRUCache } from 'lru-cache'
import type { AuthoredStores } from '../../../change.ts'
import { type IssuerKeys, importIssuerKeys } from '../../id-token/issuer-keys.ts'
import { KeysUnavailable } from '../../refusal.ts'
import type { FoundIssuer, KeysState } from '../issuer.ts'
import { refreshKeys } from './refresh-keys.ts'

export interface KnownKeys {
  /** Finds an issuer by the text of `iss`, with the keys themselves if this process does not know them. */
  find(url: string): Promise<FoundIssuer | undefined>
  /** Returns the keys of the given revision, or of a newer one; undefined if the issuer was removed meanwhile. */
  of(found: FoundIssuer): Promise<IssuerKeys | undefined>
  /**
   * See {@link refreshKeys}. Concurrent calls for one issuer wait for the same answer. There can be a few hundred of
   * them; the next gets {@link KeysUnavailable}.
   */
  refresh(found: FoundIssuer): Promise<KeysState | undefined>
}

/** The maximum number of issuers whose keys are cached; each has at most 100 keys. */
const MOST = 500
/**
 * The maximum number of calls that wait for one issuer. Nothing else bounds them while it does not answer: a
 * request whose client has disconnected does not count as in flight any more, but keeps waiting.
 */
const MOST_WAITING = 300

interface Refresh {
  readonly state: Promise<KeysState | undefined>
  waiting: number
}

export function knownKeys(stores: AuthoredStores): KnownKeys {
  /** By the issuer's URL. A revision is a hash, so the entry stays valid if an issuer is removed and added again. */
  const known = new LRUCache<
    string,
    { readonly revision: string; readonly keys: Promise<IssuerKeys | undefined> }
  >({ max: MOST })
  const running = new Map<string, Refresh>()

  const read = async (issuerId: string) => {
    const stored = await stores.issuerKeys.read(issuerId)
    return stored && importIssuerKeys(stored)
  }
  return {
    find: (url) => stores.issuers.findByUrl(url, known.peek(url)?.revision ?? ''),

    of({ issuer: { id, url }, keys: { revision }, stored }) {
      const there = known.get(url)
      if (there?.revision === revision) return there.keys
      const keys = stored?.revision === revision ? importIssuerKeys(stored) : read(id)
      const entry = { revision, keys }
      known.set(url, entry)
      const forget = () => {
        if (known.peek(url) === entry) known.delete(url)
      }
      // The keys may have been replaced while they were read, and this revision can come back.
      keys.then((found) => {
        if (found?.revision !== revision) forget()
      }, forget)
      return keys
    },

    async refresh(found) {
      const { id, url } = found.issuer
      const before = running.get(id)
      if (before) {
        if (before.waiting >= MOST_WAITING) {
          throw new KeysUnavailable(`Too many requests are waiting for the keys of the issuer ${url}`)
        }
        before.waiting += 1
        return before.state
      }
      const state = refreshKeys(found, stores).finally(() => running.delete(id))
      running.set(id, { state, waiting: 1 })
      return state
    },
  }
}
