/** Accounts that serials are signed for, and their sealed keys: the tables `brand` and `signing_key`. */
import {
  anyRowChanged,
  type Database,
  fromInstant,
  inTransaction,
  rowLock,
  toInstant,
} from '../database/index.ts'

export interface StoredBrand {
  readonly accountId: string
  readonly displayName: string
  readonly addedAt: Date
}

export interface StoredSigningKey {
  /** SHA3-384 of the public key, as account-key assertions have it. */
  readonly keyId: string
  readonly accountId: string
  /** The private key as PKCS#8, sealed. */
  readonly sealed: Uint8Array
  readonly addedAt: Date
  /** Null while it may sign. */
  readonly disabledAt: Date | null
}

export interface BrandStore {
  find(accountId: string): Promise<StoredBrand | undefined>
  /** Within a transaction: until its end nobody removes the brand. False when there is none. */
  hold(accountId: string): Promise<boolean>
  /** Within a transaction: until its end nobody holds the brand, or adds a model or key. False when there is none. */
  lock(accountId: string): Promise<boolean>
  /** By account id. */
  list(): Promise<readonly StoredBrand[]>
  /** Brand and key in one transaction. What is there stays as it is; a key that was disabled is enabled again. */
  add(brand: StoredBrand, key: Omit<StoredSigningKey, 'disabledAt'>): Promise<void>
  /** Of one account or all, by account and time; disabled ones too. */
  keys(accountId?: string): Promise<readonly StoredSigningKey[]>
  /** False when there is none that is not disabled. */
  disableKey(keyId: string, at: Date): Promise<boolean>
  /** Whether it is there and not disabled. */
  mayUse(keyId: string): Promise<boolean>
  /** With its keys. A brand that has models is not removed: the statement fails. */
  remove(accountId: string): Promise<void>
}

export function brandStore({ query }: Pick<Database, 'query'>): BrandStore {
  /** Primary key. */
  const named = (accountId: string) =>
    query.selectFrom('brand').selectAll().where('account_id', '=', accountId)

  return {
    async find(accountId) {
      const row = await named(accountId).executeTakeFirst()
      return row && brandOf(row)
    },

    async hold(accountId) {
      const row = await named(accountId).modifyEnd(rowLock(query, 'key share')).executeTakeFirst()
      return row !== undefined
    },

    async lock(accountId) {
      const row = await named(accountId).modifyEnd(rowLock(query, 'update')).executeTakeFirst()
      return row !== undefined
    },

    async list() {
      // A handful of rows: the whole table.
      const rows = await query.selectFrom('brand').selectAll().orderBy('account_id').execute()
      return rows.map(brandOf)
    },

    async add(brand, key) {
      await inTransaction(query, async (transaction) => {
        await transaction
          .insertInto('brand')
          .values({
            account_id: brand.accountId,
            display_name: brand.displayName,
            added_at: toInstant(brand.addedAt),
          })
          .onConflict((conflict) =>
            conflict.column('account_id').doUpdateSet({ display_name: brand.displayName }),
          )
          .execute()
        await transaction
          .insertInto('signing_key')
          .values({
            key_id: key.keyId,
            account_id: key.accountId,
            sealed: key.sealed,
            added_at: toInstant(key.addedAt),
            disabled_at: null,
          })
          .onConflict((conflict) => conflict.column('key_id').doUpdateSet({ disabled_at: null }))
          .execute()
      })
    },

    async keys(accountId) {
      let keys = query.selectFrom('signing_key').selectAll().orderBy('account_id').orderBy('added_at')
      // By the index signing_key_account; without an account a handful of rows, the whole table.
      if (accountId !== undefined) keys = keys.where('account_id', '=', accountId)
      const rows = await keys.execute()
      return rows.map((row) => ({
        keyId: row.key_id,
        accountId: row.account_id,
        sealed: row.sealed,
        addedAt: fromInstant(row.added_at),
        disabledAt: fromInstant(row.disabled_at),
      }))
    },

    async disableKey(keyId, at) {
      // Primary key.
      const result = await query
        .updateTable('signing_key')
        .set({ disabled_at: toInstant(at) })
        .where('key_id', '=', keyId)
        .where('disabled_at', 'is', null)
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async mayUse(keyId) {
      // Primary key.
      const row = await query
        .selectFrom('signing_key')
        .select('key_id')
        .where('key_id', '=', keyId)
        .where('disabled_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined
    },

    async remove(accountId) {
      // By the index signing_key_account, and by the primary key.
      await query.deleteFrom('signing_key').where('account_id', '=', accountId).execute()
      await query.deleteFrom('brand').where('account_id', '=', accountId).execute()
    },
  }
}

function brandOf(row: { account_id: string; display_name: string; added_at: number }): StoredBrand {
  return { accountId: row.account_id, displayName: row.display_name, addedAt: fromInstant(row.added_at) }
}
