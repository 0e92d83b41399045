/** The keys of issuers as this process knows them: read once for each revision, ready to verify with. */
import { LRUCache } from 'lru-cache'
import type { AuthoredStores } from '../../../change.ts'
import { type IssuerKeys, importIssuerKeys } from '../../id-token/issuer-keys.ts'
import { KeysUnavailable } from '../../refusal.ts'
import type { FoundIssuer, KeysState } from '../issuer.ts'
import { refreshKeys } from './refresh-keys.ts'

export interface KnownKeys {
  /** By the text of `iss`, with the keys themselves if this process does not know them. */
  find(url: string): Promise<FoundIssuer | undefined>
  /** The keys of the revision that was found, or of a newer one. Undefined if the issuer was removed since. */
  of(found: FoundIssuer): Promise<IssuerKeys | undefined>
  /**
   * See {@link refreshKeys}. Calls for one issuer at a time wait for the same answer, a few hundred at most: one more gets
   * {@link KeysUnavailable}.
   */
  refresh(found: FoundIssuer): Promise<KeysState | undefined>
}

/** For how many issuers keys are remembered; each has at most 100. */
const MOST = 500
/**
 * Calls that wait for one issuer. Nothing else bounds them while it does not answer: a request whose client has left is no
 * longer in flight, and goes on waiting.
 */
const MOST_WAITING = 300

interface Refresh {
  readonly state: Promise<KeysState | undefined>
  waiting: number
}

export function knownKeys(stores: AuthoredStores): KnownKeys {
  /** By the issuer's URL: a revision is a hash, so that the keys of one added again are the same. */
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
      // They may have been replaced while they were read, and this revision may come back.
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
          throw new KeysUnavailable(`Too many requests wait for the keys of the issuer ${url}`)
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
