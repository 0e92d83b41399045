/** The browsers that are signed in. The table has only hashes of their cookies, so its reader cannot use a session. */
import type { AccountId } from '@ratafia/api'
import type { Selectable } from 'kysely'
import {
  anyRowChanged,
  type Database,
  fromInstant,
  removeBefore,
  type Schema,
  toInstant,
} from '../../database/index.ts'

export interface SignInSession {
  /** SHA-256 of the cookie's 32 bytes. */
  readonly idHash: Uint8Array
  readonly accountId: AccountId
  /** The account's `loginsSince` at that time; see `login-mark.ts`. */
  readonly seen: number
  readonly createdAt: Date
  readonly expiresAt: Date
  /** The browser's address; undefined if not recorded. */
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
}

export interface SignInSessionStore {
  /** Throws if the hash exists, which does not happen with 32 random bytes. */
  insert(session: SignInSession): Promise<void>
  /** Finds a session, even an expired one: the caller compares the time. */
  find(idHash: Uint8Array): Promise<SignInSession | undefined>
  /** Returns at most `limit` sessions of an account, newest first, including expired ones. */
  newestOf(accountId: AccountId, limit: number): Promise<readonly SignInSession[]>
  /** Returns false if there is no such session. */
  remove(idHash: Uint8Array): Promise<boolean>
  /** Removes the sessions of an account that began at this instant. Returns their number. */
  removeBegun(accountId: AccountId, createdAt: Date): Promise<number>
  removeAllOf(accountId: AccountId): Promise<void>
  /** Removes at most `limit` sessions that expired before that instant. Returns the number of removed ones. */
  removeExpired(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly signInSessions: SignInSessionStore
  }
}

export function signInSessionStore({ query }: Pick<Database, 'query'>): SignInSessionStore {
  return {
    insert: async ({ idHash, accountId, seen, createdAt, expiresAt, address, userAgent }) => {
      await query
        .insertInto('sign_in_session')
        .values({
          id_hash: idHash,
          account_id: accountId,
          logins_since: seen,
          created_at: toInstant(createdAt),
          expires_at: toInstant(expiresAt),
          address: address ?? null,
          user_agent: userAgent ?? null,
        })
        .execute()
    },

    // Index: the primary key.
    find: async (idHash) => {
      const row = await query
        .selectFrom('sign_in_session')
        .selectAll()
        .where('id_hash', '=', idHash)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    // Index: sign_in_session_account. An account has few: each requires a sign-in, and expires after half a day.
    newestOf: async (accountId, limit) => {
      const rows = await query
        .selectFrom('sign_in_session')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id_hash')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },

    // Index: the primary key.
    remove: async (idHash) => {
      const result = await query
        .deleteFrom('sign_in_session')
        .where('id_hash', '=', idHash)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index: sign_in_session_account.
    removeBegun: async (accountId, createdAt) => {
      const { numDeletedRows } = await query
        .deleteFrom('sign_in_session')
        .where('account_id', '=', accountId)
        .where('created_at', '=', toInstant(createdAt))
        .executeTakeFirst()
      return Number(numDeletedRows)
    },

    // Index: sign_in_session_account.
    removeAllOf: async (accountId) => {
      await query.deleteFrom('sign_in_session').where('account_id', '=', accountId).execute()
    },

    // Index: sign_in_session_expires, then the primary key.
    removeExpired: (before, limit) =>
      removeBefore(query, { table: 'sign_in_session', key: 'id_hash', column: 'expires_at' }, before, limit),
  }
}

const fromRow = (row: Selectable<Schema['sign_in_session']>): SignInSession => ({
  idHash: row.id_hash,
  // The cast is safe: only ids of accounts are ever written.
  accountId: row.account_id as AccountId,
  seen: row.logins_since ?? 0,
  createdAt: fromInstant(row.created_at),
  expiresAt: fromInstant(row.expires_at),
  address: row.address ?? undefined,
  userAgent: row.user_agent ?? undefined,
})
