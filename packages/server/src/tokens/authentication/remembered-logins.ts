/**
 * Logins that were verified, remembered by the digest of the headers that presented them: while the node hears of every
 * change of their session and account, and no longer than they last.
 */
import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { type ChangeFeed, createMemory } from '../../database/index.ts'
import type { Authentication, RememberedLogins } from './authentication.ts'

const MOST = 100_000
const ACCOUNTS = 10_000

export function rememberedLogins(feed: ChangeFeed, { clock }: { readonly clock: Clock }): RememberedLogins {
  const memory = createMemory<Authentication>(feed, {
    name: 'login',
    most: MOST,
    dependsOn: ({ sessionId, account }) => [
      { kind: 'token-session', id: sessionId },
      { kind: 'account', id: account.id },
    ],
  })
  const accounts = new LRUCache<string, Authentication['account']>({ max: ACCOUNTS })
  /** The logins of an account share one object: with its own, each takes 0.2 KB more. */
  const sharing = (login: Authentication): Authentication => {
    const known = accounts.get(login.account.id)
    if (isDeepStrictEqual(known, login.account)) return { ...login, account: known ?? login.account }
    accounts.set(login.account.id, login.account)
    return login
  }
  return {
    find: (digest) => {
      const known = memory.peek(digest)
      // One that has expired is verified, and refused, like any other.
      return known && clock().getTime() < known.until ? known : undefined
    },
    // Not what is remembered and has expired.
    remember: (digest, verify) =>
      memory.peek(digest) ? verify() : memory.find(digest, async () => sharing(await verify())),
  }
}
