/** The accounts whose serials the service signs, and their sealed keys: the tables `brand` and `signing_key`. */
import {
  announce,
  changeAnnounced,
  compiledOnce,
  type Database,
  fromInstant,
  inTransaction,
  rowLock,
  type SigningKeyTable,
  toInstant,
} from '../database/index.ts'

export interface StoredBrand {
  readonly accountId: string
  readonly displayName: string
  readonly addedAt: Date
}

export interface StoredSigningKey {
  /** The SHA3-384 of the public key, as account-key assertions contain it. */
  readonly keyId: string
  readonly accountId: string
  /** The private key as PKCS#8, sealed. */
  readonly sealed: Uint8Array
  readonly addedAt: Date
  /** When the key was disabled; null while it can sign. */
  readonly disabledAt: Date | null
}

/** The position of a key among the keys of all accounts. */
export type KeyPosition = Pick<StoredSigningKey, 'accountId' | 'addedAt' | 'keyId'>

export interface BrandStore {
  find(accountId: string): Promise<StoredBrand | undefined>
  /** Keeps the brand from being removed until the transaction ends. Returns false if there is no such brand. */
  hold(accountId: string): Promise<boolean>
  /** Until the transaction ends, no other holds the brand or adds a model or key. Returns false if there is none. */
  lock(accountId: string): Promise<boolean>
  /** Returns all brands, sorted by account id. */
  list(): Promise<readonly StoredBrand[]>
  /** Returns these brands in the same order, after `after` if given. */
  page(wanted: {
    readonly brands: readonly string[] | 'all'
    readonly after: string | undefined
    readonly limit: number
  }): Promise<readonly StoredBrand[]>
  /** Stores brand and key in one transaction. A stored key is kept, but enabled again. */
  add(brand: StoredBrand, key: Omit<StoredSigningKey, 'disabledAt'>): Promise<void>
  /** Returns the keys of one account or of all, including disabled ones, sorted by account and time. */
  keys(accountId?: string): Promise<readonly StoredSigningKey[]>
  /** Returns the keys of these accounts in the same order as {@link keys}, after `after` if given. */
  keysPage(wanted: {
    readonly brands: readonly string[] | 'all'
    readonly after: KeyPosition | undefined
    readonly limit: number
  }): Promise<readonly StoredSigningKey[]>
  findKey(keyId: string): Promise<StoredSigningKey | undefined>
  /** Does the same as {@link findKey}, and locks the key: no other transaction changes it until this one ends. */
  lockKey(keyId: string): Promise<StoredSigningKey | undefined>
  /** Returns false if there is no such key, or it is already disabled. */
  disableKey(keyId: string, at: Date): Promise<boolean>
  /** Checks that the key exists and is not disabled. */
  mayUse(keyId: string): Promise<boolean>
  /** Removes the brand and its keys. The statement fails for a brand that has models. */
  remove(accountId: string): Promise<void>
}

declare module '../stores.ts' {
  interface TransactionStores {
    readonly brands: BrandStore
  }
}

/** Uses the primary key. */
const selectEnabledKey = compiledOnce((query, { keyId }: { keyId: string }) =>
  query
    .selectFrom('signing_key')
    .select('key_id')
    .where('key_id', '=', keyId)
    .where('disabled_at', 'is', null),
)

export function brandStore({ query }: Pick<Database, 'query'>): BrandStore {
  /** Uses the primary key. */
  const named = (accountId: string) =>
    query.selectFrom('brand').selectAll().where('account_id', '=', accountId)
  /** Uses the primary key. */
  const keyNamed = (keyId: string) => query.selectFrom('signing_key').selectAll().where('key_id', '=', keyId)
  const inOrder = () =>
    query.selectFrom('signing_key').selectAll().orderBy('account_id').orderBy('added_at').orderBy('key_id')

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
      // Reads the whole table, a handful of rows.
      const rows = await query.selectFrom('brand').selectAll().orderBy('account_id').execute()
      return rows.map(brandOf)
    },

    async page({ brands, after = '', limit }) {
      if (brands.length === 0) return []
      // Uses the primary key, in its order.
      let page = query.selectFrom('brand').selectAll().where('account_id', '>', after)
      if (brands !== 'all') page = page.where('account_id', 'in', brands)
      const rows = await page.orderBy('account_id').limit(limit).execute()
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
        await announce(transaction, 'brand', [brand.accountId])
        await announce(transaction, 'signing-key', [key.keyId])
      })
    },

    async keys(accountId) {
      let keys = inOrder()
      // Uses the index signing_key_account; without an account the whole table, a handful of rows.
      if (accountId !== undefined) keys = keys.where('account_id', '=', accountId)
      const rows = await keys.execute()
      return rows.map(keyOf)
    },

    async keysPage({ brands, after, limit }) {
      if (brands.length === 0) return []
      let keys = inOrder()
      // Uses the index signing_key_account; without accounts the whole table, a handful of rows.
      if (brands !== 'all') keys = keys.where('account_id', 'in', brands)
      if (after) {
        const { accountId, addedAt, keyId } = after
        keys = keys.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('account_id', 'added_at', 'key_id'), '>', tuple(accountId, toInstant(addedAt), keyId)),
        )
      }
      return (await keys.limit(limit).execute()).map(keyOf)
    },

    async findKey(keyId) {
      const row = await keyNamed(keyId).executeTakeFirst()
      return row && keyOf(row)
    },

    async lockKey(keyId) {
      const row = await keyNamed(keyId).modifyEnd(rowLock(query, 'no key update')).executeTakeFirst()
      return row && keyOf(row)
    },

    disableKey: (keyId, at) =>
      changeAnnounced(query, { kind: 'signing-key', id: keyId }, (transaction) =>
        // Uses the primary key.
        transaction
          .updateTable('signing_key')
          .set({ disabled_at: toInstant(at) })
          .where('key_id', '=', keyId)
          .where('disabled_at', 'is', null),
      ),

    async mayUse(keyId) {
      return (await selectEnabledKey(query, { keyId })).rows.length > 0
    },

    async remove(accountId) {
      await inTransaction(query, async (transaction) => {
        // Uses the index signing_key_account, then the primary key.
        const keys = await transaction
          .deleteFrom('signing_key')
          .where('account_id', '=', accountId)
          .returning('key_id')
          .execute()
        await transaction.deleteFrom('brand').where('account_id', '=', accountId).execute()
        const keyIds = keys.map((key) => key.key_id)
        await announce(transaction, 'signing-key', keyIds)
        await announce(transaction, 'brand', [accountId])
      })
    },
  }
}

const keyOf = (row: SigningKeyTable): StoredSigningKey => ({
  keyId: row.key_id,
  accountId: row.account_id,
  sealed: row.sealed,
  addedAt: fromInstant(row.added_at),
  disabledAt: fromInstant(row.disabled_at),
})

function brandOf(row: { account_id: string; display_name: string; added_at: number }): StoredBrand {
  return { accountId: row.account_id, displayName: row.display_name, addedAt: fromInstant(row.added_at) }
}
