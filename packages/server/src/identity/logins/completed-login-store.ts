/** The table of logins that were approved or rejected in a browser. */
import type { AccountId } from '@ratafia/api'
import {
  anyRowChanged,
  type CompletedLoginTable,
  type Database,
  fromInstant,
  removeBefore,
  toInstant,
} from '../../database/index.ts'

export interface CompletedLogin {
  /** The login's id, 16 random bytes. */
  readonly loginId: Uint8Array
  readonly accountId: AccountId
  readonly decision: 'approved' | 'denied'
  /** The account's `loginsSince` at that time; see `login-mark.ts`. */
  readonly seen: number
  /** When the user signed in to the browser. */
  readonly signedInAt: Date
  readonly completedAt: Date
  /** When the row can be removed, because the login can no longer be completed. */
  readonly expiresAt: Date
}

export interface CompletedLoginStore {
  /** Returns false if the login was completed already, even by a simultaneous call. The first decision stays. */
  insert(login: CompletedLogin): Promise<boolean>
  find(loginId: Uint8Array): Promise<CompletedLogin | undefined>
  /** Returns the completed logins among them. */
  findAll(loginIds: readonly Uint8Array[]): Promise<CompletedLogin[]>
  /** Removes at most `limit` logins that expired before that instant. Returns the number of removed ones. */
  removeExpired(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly completedLogins: CompletedLoginStore
  }
}

export function completedLoginStore({ query }: Pick<Database, 'query'>): CompletedLoginStore {
  return {
    // The primary key decides which of two decisions is the first.
    insert: async ({ loginId, accountId, decision, seen, signedInAt, completedAt, expiresAt }) => {
      const result = await query
        .insertInto('completed_login')
        .values({
          login_id: loginId,
          account_id: accountId,
          decision,
          logins_since: seen,
          signed_in_at: toInstant(signedInAt),
          completed_at: toInstant(completedAt),
          expires_at: toInstant(expiresAt),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Index: the primary key.
    find: async (loginId) => {
      const row = await query
        .selectFrom('completed_login')
        .selectAll()
        .where('login_id', '=', loginId)
        .executeTakeFirst()
      return row && loginOf(row)
    },

    // Index: the primary key.
    findAll: async (loginIds) => {
      if (loginIds.length === 0) return []
      const rows = await query
        .selectFrom('completed_login')
        .selectAll()
        .where('login_id', 'in', loginIds)
        .execute()
      return rows.map(loginOf)
    },

    // Index: completed_login_expires, then the primary key.
    removeExpired: (before, limit) =>
      removeBefore(query, { table: 'completed_login', key: 'login_id', column: 'expires_at' }, before, limit),
  }
}

function loginOf(row: CompletedLoginTable): CompletedLogin {
  return {
    loginId: row.login_id,
    // The cast is safe: only ids of accounts are ever written.
    accountId: row.account_id as AccountId,
    decision: row.decision,
    seen: row.logins_since ?? 0,
    // Every login is inserted with it. The column accepts null, which would not prove a recent sign-in.
    signedInAt: fromInstant(row.signed_in_at ?? 0),
    completedAt: fromInstant(row.completed_at),
    expiresAt: fromInstant(row.expires_at),
  }
}
