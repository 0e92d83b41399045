/**
 * The table `setup_link`: the link that creates the first operator. It has only the hash of the link's secret, so its
 * reader cannot use the link. Inserting an account removes the link (`account-insert-store.ts`).
 */
import { anyRowChanged, type Database, toInstant } from '../../database/index.ts'

interface SetupLink {
  /** The hash of `setup-link.ts`. */
  readonly secretHash: Uint8Array
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface SetupLinkStore {
  /** Stores the link instead of the earlier one. Waits for a transaction that takes or replaces the earlier one. */
  replace(link: SetupLink): Promise<void>
  /** Whether there is a link with this hash that has not expired at `now`. */
  isOpen(secretHash: Uint8Array, now: Date): Promise<boolean>
  /**
   * Removes such a link; returns false if there is none. Of two simultaneous calls, one gets true, and the other waits
   * until the transaction of the first ends.
   */
  take(secretHash: Uint8Array, now: Date): Promise<boolean>
  /** Whether there has ever been an account or a grant: the row of a removed account stays. */
  someoneExists(): Promise<boolean>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly setupLinks: SetupLinkStore
  }
}

export function setupLinkStore({ query }: Pick<Database, 'query'>): SetupLinkStore {
  return {
    replace: async ({ secretHash, createdAt, expiresAt }) => {
      const link = {
        ...{ secret_hash: secretHash },
        ...{ created_at: toInstant(createdAt), expires_at: toInstant(expiresAt) },
      }
      await query
        .insertInto('setup_link')
        .values({ id: 1, ...link })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(link))
        .execute()
    },

    // One row at most.
    isOpen: async (secretHash, now) => {
      const row = await query
        .selectFrom('setup_link')
        .select('id')
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', toInstant(now))
        .executeTakeFirst()
      return row !== undefined
    },

    // One row at most.
    take: async (secretHash, now) => {
      const result = await query
        .deleteFrom('setup_link')
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', toInstant(now))
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Reads one row of each table.
    someoneExists: async () => {
      const account = await query.selectFrom('account').select('id').limit(1).executeTakeFirst()
      const grant = await query.selectFrom('role_grant').select('role').limit(1).executeTakeFirst()
      return account !== undefined || grant !== undefined
    },
  }
}
