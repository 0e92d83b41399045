/** The devices of a model that can register: the table `allow_list`. */
import { type Database, inTransaction, toInstant } from '../../../database/index.ts'
import type { ModelName } from '../model-policy.ts'

/** A serial number, a device key, or a serial number that only this key can have. Null means any. */
export interface AllowListEntry {
  readonly serial: string | null
  readonly deviceKeyId: string | null
}

export interface AllowListStore {
  /** Adds all or none, in one transaction; existing entries stay. Returns how many were new. */
  add(
    model: ModelName,
    entries: readonly AllowListEntry[],
    options: { readonly at: Date; readonly onProgress?: (done: number) => void },
  ): Promise<number>
  /**
   * Removes all or none, in one transaction. A serial number removes its entries with any key, a key the
   * entry without a serial number, and both only that entry. Returns how many were removed.
   */
  remove(
    model: ModelName,
    entries: readonly AllowListEntry[],
    options?: { readonly onProgress?: (done: number) => void },
  ): Promise<number>
  /** Removes all entries of the model, in one transaction. Returns how many there were. */
  clear(model: ModelName): Promise<number>
  /** Returns entries sorted by serial and key, after `after` if given. */
  list(
    model: ModelName,
    page: { readonly after?: AllowListEntry | undefined; readonly limit: number },
  ): Promise<readonly AllowListEntry[]>
  /**
   * Checks whether an entry matches the device: its key, its serial number, or both together. An entry that
   * binds a serial number to a key reserves it for that key. `serial` is null until the device has one; then
   * only the key is compared.
   */
  has(
    model: ModelName,
    device: { readonly serial: string | null; readonly deviceKeyId: string },
  ): Promise<boolean>
}

declare module '../../../stores.ts' {
  interface TransactionStores {
    readonly allowList: AllowListStore
  }
}

/** Few enough for the parameters of one statement on every database. */
const BATCH = 1000
/** Fewer, because each pair is a separate condition. */
const REMOVED_AT_ONCE = 200
const CLEARED_AT_ONCE = 10_000
/** Stands for any value in the table. */
const ANY = ''

export function allowListStore({ query }: Pick<Database, 'query'>): AllowListStore {
  return {
    async add({ brandId, model }, entries, { at, onProgress }) {
      const added_at = toInstant(at)
      return inTransaction(query, async (transaction) => {
        let added = 0
        for (let start = 0; start < entries.length; start += BATCH) {
          const batch = entries.slice(start, start + BATCH)
          const { numInsertedOrUpdatedRows } = await transaction
            .insertInto('allow_list')
            .values(
              batch.map(({ serial, deviceKeyId }) => ({
                brand_id: brandId,
                model,
                serial: serial ?? ANY,
                device_key_id: deviceKeyId ?? ANY,
                added_at,
              })),
            )
            .onConflict((conflict) =>
              conflict.columns(['brand_id', 'model', 'serial', 'device_key_id']).doNothing(),
            )
            .executeTakeFirst()
          added += Number(numInsertedOrUpdatedRows ?? 0n)
          onProgress?.(start + batch.length)
        }
        return added
      })
    },

    remove({ brandId, model }, entries, { onProgress } = {}) {
      return inTransaction(query, async (transaction) => {
        let removed = 0
        for (let start = 0; start < entries.length; start += REMOVED_AT_ONCE) {
          const batch = entries.slice(start, start + REMOVED_AT_ONCE)
          const given = (has: (entry: AllowListEntry) => boolean) => batch.filter(has)
          const serials = given(({ deviceKeyId }) => deviceKeyId === null).map(({ serial }) => serial ?? ANY)
          const keys = given(({ serial }) => serial === null).map(({ deviceKeyId }) => deviceKeyId ?? ANY)
          const pairs = given(({ serial, deviceKeyId }) => serial !== null && deviceKeyId !== null)
          // Uses at least three columns of the primary key.
          const { numDeletedRows } = await transaction
            .deleteFrom('allow_list')
            .where('brand_id', '=', brandId)
            .where('model', '=', model)
            .where((entry) => {
              const byKey = () => entry.and([entry('serial', '=', ANY), entry('device_key_id', 'in', keys)])
              return entry.or([
                ...(serials.length > 0 ? [entry('serial', 'in', serials)] : []),
                ...(keys.length > 0 ? [byKey()] : []),
                ...pairs.map((pair) =>
                  entry.and({ serial: pair.serial ?? ANY, device_key_id: pair.deviceKeyId ?? ANY }),
                ),
              ])
            })
            .executeTakeFirst()
          removed += Number(numDeletedRows)
          onProgress?.(start + batch.length)
        }
        return removed
      })
    },

    clear({ brandId, model }) {
      return inTransaction(query, async (transaction) => {
        let removed = 0
        let after: { readonly serial: string; readonly device_key_id: string } | undefined
        for (;;) {
          const { serial, device_key_id } = after ?? { serial: ANY, device_key_id: ANY }
          // Uses the primary key, in its order: no statement runs long, or reads removed entries.
          const last = await transaction
            .selectFrom('allow_list')
            .select(['serial', 'device_key_id'])
            .where('brand_id', '=', brandId)
            .where('model', '=', model)
            .where(({ eb, refTuple, tuple }) =>
              eb(refTuple('serial', 'device_key_id'), '>', tuple(serial, device_key_id)),
            )
            .orderBy('serial')
            .orderBy('device_key_id')
            .offset(CLEARED_AT_ONCE - 1)
            .limit(1)
            .executeTakeFirst()
          let some = transaction
            .deleteFrom('allow_list')
            .where('brand_id', '=', brandId)
            .where('model', '=', model)
            .where(({ eb, refTuple, tuple }) =>
              eb(refTuple('serial', 'device_key_id'), '>', tuple(serial, device_key_id)),
            )
          if (last) {
            some = some.where(({ eb, refTuple, tuple }) =>
              eb(refTuple('serial', 'device_key_id'), '<=', tuple(last.serial, last.device_key_id)),
            )
          }
          const { numDeletedRows } = await some.executeTakeFirst()
          removed += Number(numDeletedRows)
          if (!last) return removed
          after = last
        }
      })
    },

    async list({ brandId, model }, { after, limit }) {
      const [serial, key] = [after?.serial ?? ANY, after?.deviceKeyId ?? ANY]
      // Uses the primary key, in its order.
      const rows = await query
        .selectFrom('allow_list')
        .select(['serial', 'device_key_id'])
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('serial', 'device_key_id'), '>', tuple(serial, key)))
        .orderBy('serial')
        .orderBy('device_key_id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ serial: row.serial || null, deviceKeyId: row.device_key_id || null }))
    },

    async has({ brandId, model }, { serial, deviceKeyId }) {
      // Uses at most three columns of the primary key.
      const row = await query
        .selectFrom('allow_list')
        .select('serial')
        .where('brand_id', '=', brandId)
        .where('model', '=', model)
        .where((entry) => {
          const byKey = entry.and([entry('serial', '=', ANY), entry('device_key_id', '=', deviceKeyId)])
          if (serial === null) return byKey
          const bySerial = entry('device_key_id', 'in', [ANY, deviceKeyId])
          return entry.or([byKey, entry.and([entry('serial', '=', serial), bySerial])])
        })
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
