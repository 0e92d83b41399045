/** Devices that wait for approval, and their networks: rows of the table `device`. */
import { sql } from 'kysely'
import type { Networks } from '../../../addresses/address.ts'
import { anyRowChanged, type Database, rowLock, toInstant } from '../../../database/index.ts'
import type { Device } from '../../device.ts'
import { rowOf } from '../../device-store.ts'

type OfModel = Pick<Device, 'brandId' | 'model'>

export interface WaitingStore {
  /** Adds a waiting device with its encoded serial-request. Returns false, and stores nothing, if its key has a row. */
  add(device: Device, request: Uint8Array, networks: Networks): Promise<boolean>
  /** Counts the model's waiting devices, up to `most`. */
  count(model: OfModel, most: number): Promise<number>
  /** Counts the model's waiting devices from this network of this width, up to `most`. */
  countIn(model: OfModel, network: string, width: keyof typeof WIDTHS, most: number): Promise<number>
  /**
   * Removes at most `limit` devices that have waited since before that instant, oldest first, with the rows
   * about their requests. Runs in a transaction. Returns the model of each.
   */
  removeOld(before: Date, limit: number): Promise<readonly OfModel[]>
}

declare module '../../../stores.ts' {
  interface TransactionStores {
    readonly waiting: WaitingStore
  }
}

const WIDTHS = { narrow: 'waits_in_narrow', middle: 'waits_in_middle', wide: 'waits_in_wide' } as const

export function waitingStore({ query }: Pick<Database, 'query'>): WaitingStore {
  // Selects only indexed columns, so that no row is read. SQLite uses the partial indexes only if the status
  // is a literal.
  const waiting = ({ brandId, model }: OfModel) =>
    query
      .selectFrom('device')
      .select('model')
      .where((where) => where.and({ brand_id: brandId, model }))
      .where('status', '=', sql.lit('pending'))

  const counted = async (rows: ReturnType<typeof waiting>, most: number) => {
    const { count } = await query
      .selectFrom(rows.limit(most).as('waiting'))
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  const removeWaiting = async (found: readonly string[], bucket: number): Promise<readonly OfModel[]> => {
    // Uses the primary key. An operator may be deciding about a device at this moment, so its row is locked
    // and its status checked again.
    const old = await query
      .selectFrom('device')
      .select(['id', 'brand_id', 'model'])
      .where('id', 'in', found)
      .where('bucket', '=', bucket)
      .where('status', '=', 'pending')
      .orderBy('id')
      .modifyEnd(rowLock(query, 'update'))
      .execute()
    if (old.length === 0) return []
    const ids = old.map(({ id }) => id)
    // Uses the index device_registration_device, then the primary keys.
    for (const table of ['device_registration', 'clone_evidence'] as const) {
      await query.deleteFrom(table).where('device_id', 'in', ids).where('bucket', '=', bucket).execute()
    }
    await query.deleteFrom('device').where('id', 'in', ids).where('bucket', '=', bucket).execute()
    return old.map(({ brand_id, model }) => ({ brandId: brand_id, model }))
  }

  return {
    async add(device, request, [narrow, middle, wide]) {
      const networks = { waits_in_narrow: narrow, waits_in_middle: middle, waits_in_wide: wide }
      const result = await query
        .insertInto('device')
        .values({ ...rowOf(device), request, ...networks })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    // Uses the index device_model_status.
    count: (model, most) => counted(waiting(model), most),

    // Uses the index device_waits_in_narrow, device_waits_in_middle or device_waits_in_wide.
    countIn: (model, network, width, most) =>
      counted(waiting(model).where(WIDTHS[width], '=', network), most),

    async removeOld(before, limit) {
      // Uses the index device_status; a model has at most 10,000 waiting devices.
      const found = await query
        .selectFrom('device')
        .select(['id', 'bucket'])
        .where('status', '=', 'pending')
        .where('registered_at', '<', toInstant(before))
        .orderBy('id')
        .limit(limit)
        .execute()
      const removed: OfModel[] = []
      for (const [bucket, some] of Map.groupBy(found, (row) => row.bucket)) {
        const ids = some.map(({ id }) => id)
        removed.push(...(await removeWaiting(ids, bucket)))
      }
      return removed
    },
  }
}
