/**
 * The table `reset_link`: links that work once. It has only hashes of their secrets, so its reader cannot use a link.
 */
import type { AccountId } from '@ratafia/api'
import { anyRowChanged, type Database, fromInstant, removeBefore, toInstant } from '../../database/index.ts'

interface OneTimeLink {
  /** The hash of `link.ts`. */
  readonly secretHash: Uint8Array
  readonly accountId: AccountId
  /** The account's `loginsSince` at that time; see `login-mark.ts`. */
  readonly seen: number
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface OneTimeLinkStore {
  /** Throws if the hash exists, which does not happen with 32 random bytes. */
  insert(link: OneTimeLink): Promise<void>
  /** Finds a link, even an expired one: the caller compares the time. */
  find(secretHash: Uint8Array): Promise<OneTimeLink | undefined>
  /** Returns false if there is no such link (any more). Of two simultaneous calls, one gets true. */
  remove(secretHash: Uint8Array): Promise<boolean>
  removeAllOf(accountId: AccountId): Promise<void>
  /** Removes at most `limit` links that expired before that instant. Returns the number of removed ones. */
  removeExpired(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly oneTimeLinks: OneTimeLinkStore
  }
}

export function oneTimeLinkStore({ query }: Pick<Database, 'query'>): OneTimeLinkStore {
  return {
    insert: async ({ secretHash, accountId, seen, createdAt, expiresAt }) => {
      await query
        .insertInto('reset_link')
        .values({
          secret_hash: secretHash,
          account_id: accountId,
          logins_since: seen,
          created_at: toInstant(createdAt),
          expires_at: toInstant(expiresAt),
        })
        .execute()
    },

    // Index: the primary key.
    find: async (secretHash) => {
      const row = await query
        .selectFrom('reset_link')
        .selectAll()
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst()
      return (
        row && {
          secretHash: row.secret_hash,
          // The cast is safe: only ids of accounts are ever written.
          accountId: row.account_id as AccountId,
          seen: row.logins_since,
          createdAt: fromInstant(row.created_at),
          expiresAt: fromInstant(row.expires_at),
        }
      )
    },

    // Index: the primary key.
    remove: async (secretHash) => {
      const result = await query
        .deleteFrom('reset_link')
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index: reset_link_account.
    removeAllOf: async (accountId) => {
      await query.deleteFrom('reset_link').where('account_id', '=', accountId).execute()
    },

    // Index: reset_link_expires, then the primary key.
    removeExpired: (before, limit) =>
      removeBefore(query, { table: 'reset_link', key: 'secret_hash', column: 'expires_at' }, before, limit),
  }
}
