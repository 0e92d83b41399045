/**
 * Logins that were verified, remembered by the digest of the headers that presented them: while the node receives every
 * change of their session and account, and no longer than they last.
 */
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { type CacheFreshness, createMemory } from '../../database/index.ts'
import { ownCopy } from '../../own-copy.ts'
import type { Authentication, RememberedLogins } from './authentication.ts'

const MOST = 100_000
/** How many accounts, and how many limits, are shared. */
const SHARED = 10_000
/** Bytes of limits that a login may have; one with more counts as several. */
const LIMITS = 256
/** What an item of a list takes besides its characters: V8's header of a text, and where it is. */
const ITEM_BYTES = 32

type Limits = Authentication['attenuations']

export function rememberedLogins(
  freshness: CacheFreshness,
  { clock }: { readonly clock: Clock },
): RememberedLogins {
  const memory = createMemory<Authentication>(freshness, {
    name: 'login',
    most: MOST,
    countsAs: ({ attenuations }) => 1 + Math.floor(bytesOf(attenuations) / LIMITS),
    dependsOn: ({ sessionId, account }) => [
      { kind: 'token-session', id: sessionId },
      { kind: 'account', id: account.id },
    ],
  })
  const shrink = shrinking()
  return {
    find: (digest) => {
      const known = memory.peek(digest)
      // One that has expired is verified, and refused, like any other.
      return known && clock().getTime() < known.until ? known : undefined
    },
    // Not what is remembered and has expired.
    remember: (digest, verify) =>
      memory.peek(digest) ? verify() : memory.find(digest, async () => shrink(await verify())),
  }
}

/** Logins of one account, and those with the same limits, share an object: with its own, each takes 0.2 KB more. */
function shrinking(): (login: Authentication) => Authentication {
  const accounts = new LRUCache<string, Authentication['account']>({ max: SHARED })
  const limits = new LRUCache<string, Limits>({ max: SHARED })
  const sharedAccount = (account: Authentication['account']) => {
    const known = accounts.get(account.id)
    if (known && isDeepStrictEqual(known, account)) return known
    accounts.set(account.id, account)
    return account
  }
  const sharedLimits = (own: Limits): Limits => {
    const text = JSON.stringify(own)
    const known = limits.get(text) ?? ownCopy(own)
    if (text.length <= LIMITS) limits.set(text, known)
    return known
  }
  return ({ account, attenuations, ...login }) => ({
    ...ownCopy(login),
    account: sharedAccount(account),
    attenuations: sharedLimits(attenuations),
  })
}

const bytesOf = ({ channels, packages, permissions, storeIds }: Limits): number =>
  [channels, packages, permissions, storeIds].reduce(
    (bytes, list) => bytes + (list ? list.join('').length + list.length * ITEM_BYTES : 0),
    0,
  )
