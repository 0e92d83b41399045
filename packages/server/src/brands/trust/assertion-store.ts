/** The assertions of the service, as received: the table `assertion`, and the trust roots in `trust_root`. */
import { announce, changeAnnounced, type Database, inTransaction, toInstant } from '../../database/index.ts'

export interface StoredAssertion {
  readonly type: string
  /** The values of the primary key, joined by slashes. */
  readonly primaryKey: string
  readonly revision: number
  /** The assertion as it was received. */
  readonly encoded: Uint8Array
}

interface StoredRoot extends Omit<StoredAssertion, 'revision'> {
  readonly accountId: string
}

export interface AssertionStore {
  /** Returns undefined if there is none. */
  find(type: string, primaryKey: string): Promise<Uint8Array | undefined>
  /** Stores all or none, in one transaction. Only a higher revision replaces a stored one. */
  put(assertions: readonly StoredAssertion[], at: Date): Promise<void>
  /** Returns false if there is none. */
  remove(type: string, primaryKey: string): Promise<boolean>
  /** Returns the roots that the operator added, accounts first. */
  roots(): Promise<readonly Uint8Array[]>
  /** Adds all or none. Replaces a root with the same type and primary key. */
  addRoots(roots: readonly StoredRoot[], at: Date): Promise<void>
  /** Removes the account and all its keys. Returns false if there is none. */
  removeRoot(accountId: string): Promise<boolean>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly assertions: AssertionStore
  }
}

export function assertionStore({ query }: Pick<Database, 'query'>): AssertionStore {
  return {
    async find(type, primaryKey) {
      // Uses the primary key.
      const row = await query
        .selectFrom('assertion')
        .select('encoded')
        .where('type', '=', type)
        .where('primary_key', '=', primaryKey)
        .executeTakeFirst()
      return row?.encoded
    },

    async put(assertions, at) {
      await inTransaction(query, async (transaction) => {
        for (const { type, primaryKey, revision, encoded } of assertions) {
          const values = { type, primary_key: primaryKey, revision, encoded, stored_at: toInstant(at) }
          await changeAnnounced(transaction, rowOf(type, primaryKey), () =>
            transaction
              .insertInto('assertion')
              .values(values)
              .onConflict((conflict) =>
                conflict
                  .columns(['type', 'primary_key'])
                  .doUpdateSet({ revision, encoded, stored_at: values.stored_at })
                  // The newest stays, regardless of the order of arrival.
                  .where('assertion.revision', '<', revision),
              ),
          )
        }
      })
    },

    remove: (type, primaryKey) =>
      changeAnnounced(query, rowOf(type, primaryKey), (transaction) =>
        // Uses the primary key.
        transaction.deleteFrom('assertion').where('type', '=', type).where('primary_key', '=', primaryKey),
      ),

    async roots() {
      // Reads the whole table, a handful of rows.
      const rows = await query
        .selectFrom('trust_root')
        .selectAll()
        .orderBy('type')
        .orderBy('added_at')
        .execute()
      return rows.map(({ encoded }) => encoded)
    },

    async addRoots(roots, at) {
      await inTransaction(query, async (transaction) => {
        for (const { type, primaryKey, accountId, encoded } of roots) {
          await transaction
            .insertInto('trust_root')
            .values({
              type,
              primary_key: primaryKey,
              account_id: accountId,
              encoded,
              added_at: toInstant(at),
            })
            .onConflict((conflict) => conflict.columns(['type', 'primary_key']).doUpdateSet({ encoded }))
            .execute()
        }
        const accountIds = roots.map(({ accountId }) => accountId)
        await announce(transaction, 'trust-root', accountIds)
      })
    },

    removeRoot: (accountId) =>
      changeAnnounced(query, { kind: 'trust-root', id: accountId }, (transaction) =>
        // Uses the index trust_root_account.
        transaction.deleteFrom('trust_root').where('account_id', '=', accountId),
      ),
  }
}

const rowOf = (type: string, primaryKey: string) =>
  ({ kind: 'assertion', id: `${type}/${primaryKey}` }) as const
