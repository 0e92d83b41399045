/** Forms that are kept until their user has signed in again, in the table `kept_form`. */
import type { AccountId } from '@ratafia/api'
import { type Database, fromInstant, inTransaction, removeBefore, toInstant } from '../../database/index.ts'

interface KeptFormRow {
  /** 16 bytes. */
  readonly id: Uint8Array
  readonly accountId: AccountId
  /** The form, sealed under a key that is not stored. */
  readonly sealed: Uint8Array
  readonly keptAt: Date
  readonly expiresAt: Date
}

export interface KeptFormStore {
  /** Adds a form, and keeps only the newest ten of its account. */
  add(form: KeptFormRow): Promise<void>
  /**
   * Removes the form and returns it; undefined if this account has no form with this id. Only one of two callers gets
   * it.
   */
  take(id: Uint8Array, accountId: AccountId): Promise<Pick<KeptFormRow, 'sealed' | 'expiresAt'> | undefined>
  /** Removes at most `limit` that expired before that instant. Returns how many were removed. */
  removeExpired(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly keptForms: KeptFormStore
  }
}

const MOST_OF_ACCOUNT = 10

export function keptFormStore({ query }: Pick<Database, 'query'>): KeptFormStore {
  return {
    add: ({ id, accountId, sealed, keptAt, expiresAt }) =>
      inTransaction(query, async (transaction) => {
        await transaction
          .insertInto('kept_form')
          .values({
            id,
            account_id: accountId,
            sealed,
            kept_at: toInstant(keptAt),
            expires_at: toInstant(expiresAt),
          })
          .execute()
        // Index kept_form_account.
        const older = await transaction
          .selectFrom('kept_form')
          .select('id')
          .where('account_id', '=', accountId)
          .orderBy('kept_at', 'desc')
          .limit(100)
          .offset(MOST_OF_ACCOUNT)
          .execute()
        if (older.length === 0) return
        const ids = older.map((row) => row.id)
        await transaction.deleteFrom('kept_form').where('id', 'in', ids).execute()
      }),

    // Primary key.
    take: async (id, accountId) => {
      const row = await query
        .deleteFrom('kept_form')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .returning(['sealed', 'expires_at'])
        .executeTakeFirst()
      return row && { sealed: row.sealed, expiresAt: fromInstant(row.expires_at) }
    },

    // Index kept_form_expires, then the primary key.
    removeExpired: (before, limit) =>
      removeBefore(query, { table: 'kept_form', key: 'id', column: 'expires_at' }, before, limit),
  }
}
