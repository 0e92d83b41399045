/** The keys of issuers as this process knows them: read once for each revision, ready to verify with. */
import { LRUCache } from 'lru-cache'
import { type IssuerKeys, importIssuerKeys } from '../../id-token/issuer-keys.ts'
import type { FoundIssuer, KeysState } from '../issuer.ts'
import { type RefreshKeysDeps, refreshKeys } from './refresh-keys.ts'

export interface KnownKeys {
  /** Of the revision that was found, or of a newer one. Undefined if the issuer was removed since. */
  of(found: FoundIssuer): Promise<IssuerKeys | undefined>
  /** See {@link refreshKeys}. Calls for one issuer at a time wait for the same answer. */
  refresh(found: FoundIssuer): Promise<KeysState | undefined>
}

/** Issuers whose keys are remembered. One has at most 100. */
const MOST = 500

export function knownKeys(deps: RefreshKeysDeps): KnownKeys {
  const known = new LRUCache<
    string,
    { readonly revision: string; readonly keys: Promise<IssuerKeys | undefined> }
  >({ max: MOST })
  const running = new Map<string, Promise<KeysState | undefined>>()

  const read = async (issuerId: string) => {
    const stored = await deps.issuerKeys.read(issuerId)
    return stored && importIssuerKeys(stored)
  }
  return {
    of({ issuer: { id }, keys: { revision } }) {
      const there = known.get(id)
      if (there?.revision === revision) return there.keys
      const entry = { revision, keys: read(id) }
      known.set(id, entry)
      entry.keys.catch(() => {
        if (known.peek(id) === entry) known.delete(id)
      })
      return entry.keys
    },

    refresh(found) {
      const { id } = found.issuer
      const before = running.get(id)
      if (before) return before
      const refreshing = refreshKeys(found, deps).finally(() => running.delete(id))
      running.set(id, refreshing)
      return refreshing
    },
  }
}
