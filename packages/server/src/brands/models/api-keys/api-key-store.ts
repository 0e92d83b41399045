/** The keys that let devices of a model register, by hash: the table `api_key`. */
import {
  type ApiKeyTable,
  announce,
  changeAnnounced,
  type Database,
  fromInstant,
  inTransaction,
  rowLock,
  toInstant,
} from '../../../database/index.ts'
import type { ModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'

/** The position of a key among the keys of its model. */
export type KeyPosition = Pick<ApiKey, 'createdAt' | 'id'>

export interface ApiKeyStore {
  add(key: ApiKey, hash: Uint8Array): Promise<void>
  /** Returns the keys of one model or of all, sorted by model and time. */
  list(model?: ModelName): Promise<readonly ApiKey[]>
  /** Returns the keys of one model, sorted by time, after `after` if given. */
  page(
    model: ModelName,
    page: { readonly after: KeyPosition | undefined; readonly limit: number },
  ): Promise<readonly ApiKey[]>
  find(id: string): Promise<ApiKey | undefined>
  /** Does the same as {@link find}, and locks the key: no other transaction changes it until this one ends. */
  lock(id: string): Promise<ApiKey | undefined>
  findByHash(hash: Uint8Array): Promise<ApiKey | undefined>
  /** Checks whether the model ever had a key. If so, devices need one, even once the last is revoked. */
  isRequired(model: ModelName): Promise<boolean>
  /**
   * Counts one use of a key that is valid for the model at that instant. It is one conditional statement, so that
   * concurrent requests never exceed the limit. Returns undefined, and counts nothing, if the key is not valid.
   */
  use(hash: Uint8Array, model: ModelName, at: Date): Promise<ApiKey | undefined>
  /** A revoked key keeps its time; `first` is true if this call revoked it. Returns undefined without such a key. */
  revoke(id: string, at: Date): Promise<{ readonly key: ApiKey; readonly first: boolean } | undefined>
  /** Removes all keys of a model, before the model itself: without keys, any device can register. Returns how many. */
  removeAll(model: ModelName): Promise<number>
}

declare module '../../../stores.ts' {
  interface TransactionStores {
    readonly apiKeys: ApiKeyStore
  }
}

export function apiKeyStore({ query }: Pick<Database, 'query'>): ApiKeyStore {
  /** Uses the primary key. */
  const named = (id: string) => query.selectFrom('api_key').selectAll().where('id', '=', id)

  return {
    async add(key, hash) {
      await changeAnnounced(query, { kind: 'api-key', id: key.id }, (transaction) =>
        transaction.insertInto('api_key').values({
          id: key.id,
          brand_id: key.brandId,
          model: key.model,
          label: key.label,
          key_hash: hash,
          created_at: toInstant(key.createdAt),
          expires_at: key.expiresAt && toInstant(key.expiresAt),
          use_limit: key.useLimit,
          uses: key.uses,
          last_used_at: key.lastUsedAt && toInstant(key.lastUsedAt),
          revoked_at: key.revokedAt && toInstant(key.revokedAt),
        }),
      )
    },

    async list(model) {
      let keys = query.selectFrom('api_key').selectAll()
      // Uses the index api_key_model; without a model the whole table, some dozens of keys.
      if (model) keys = keys.where('brand_id', '=', model.brandId).where('model', '=', model.model)
      const rows = await keys
        .orderBy('brand_id')
        .orderBy('model')
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(keyOf)
    },

    async page({ brandId, model }, { after, limit }) {
      let keys = query
        .selectFrom('api_key')
        .selectAll()
        // Uses the index api_key_model: some dozens of keys.
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
      if (after) {
        const { createdAt, id } = after
        keys = keys.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(toInstant(createdAt), id)),
        )
      }
      const rows = await keys.orderBy('created_at').orderBy('id').limit(limit).execute()
      return rows.map(keyOf)
    },

    async find(id) {
      const row = await named(id).executeTakeFirst()
      return row && keyOf(row)
    },

    async lock(id) {
      const row = await named(id).modifyEnd(rowLock(query, 'no key update')).executeTakeFirst()
      return row && keyOf(row)
    },

    async findByHash(hash) {
      // Uses the unique index of key_hash.
      const row = await query
        .selectFrom('api_key')
        .selectAll()
        .where('key_hash', '=', hash)
        .executeTakeFirst()
      return row && keyOf(row)
    },

    async isRequired({ brandId, model }) {
      // Uses the index api_key_model.
      const row = await query
        .selectFrom('api_key')
        .select('id')
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async use(hash, { brandId, model }, at) {
      const now = toInstant(at)
      // Uses the unique index of key_hash.
      const row = await query
        .updateTable('api_key')
        .set((set) => ({ uses: set('uses', '+', 1), last_used_at: now }))
        .where('key_hash', '=', hash)
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .where('revoked_at', 'is', null)
        .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', now)]))
        .where((or) => or.or([or('use_limit', 'is', null), or('uses', '<', or.ref('use_limit'))]))
        .returningAll()
        .executeTakeFirst()
      return row && keyOf(row)
    },

    revoke: (id, at) =>
      inTransaction(query, async (transaction) => {
        const first = await changeAnnounced(transaction, { kind: 'api-key', id }, () =>
          // Uses the primary key.
          transaction
            .updateTable('api_key')
            .set({ revoked_at: toInstant(at) })
            .where('id', '=', id)
            .where('revoked_at', 'is', null),
        )
        // Uses the primary key.
        const row = await transaction
          .selectFrom('api_key')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirst()
        return row && { key: keyOf(row), first }
      }),

    removeAll: ({ brandId, model }) =>
      inTransaction(query, async (transaction) => {
        // Uses the index api_key_model.
        const removed = await transaction
          .deleteFrom('api_key')
          .where('brand_id', '=', brandId)
          .where('model', '=', model)
          .returning('id')
          .execute()
        const ids = removed.map(({ id }) => id)
        await announce(transaction, 'api-key', ids)
        return removed.length
      }),
  }
}

function keyOf(row: ApiKeyTable): ApiKey {
  return {
    id: row.id,
    brandId: row.brand_id,
    model: row.model,
    label: row.label,
    createdAt: fromInstant(row.created_at),
    expiresAt: fromInstant(row.expires_at),
    useLimit: row.use_limit,
    uses: row.uses,
    lastUsedAt: fromInstant(row.last_used_at),
    revokedAt: fromInstant(row.revoked_at),
  }
}
