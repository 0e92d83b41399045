/**
 * Remembers verified logins by the digest of the headers that presented them, until they expire, and only
 * while the node receives every change of their session and account.
 */
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { type CacheFreshness, createMemory } from '../../database/index.ts'
import { ownCopy } from '../../own-copy.ts'
import type { Authentication, RememberedLogins } from './authentication.ts'

const MOST = 100_000
/** The number of shared accounts, and of shared limits. */
const SHARED = 10_000
/** The size in bytes of the limits that one login can have. A login with more counts as several. */
const LIMITS = 256
/** The memory that an item of a list needs besides its characters: V8's string header and a reference. */
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
      // An expired login is verified again, and refused like any other.
      return known && clock().getTime() < known.until ? known : undefined
    },
    // If the login is remembered but has expired, verify it without the memory.
    remember: (digest, verify) =>
      memory.peek(digest) ? verify() : memory.find(digest, async () => shrink(await verify())),
  }
}

/** Lets logins of one account, and logins with the same limits, share an object. This saves 0.2 KB for each. */
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
