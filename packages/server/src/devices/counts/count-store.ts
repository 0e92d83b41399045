/** Counts devices: stored counts in the table `device_count`, and counts as of now. */
import { type RawBuilder, sql } from 'kysely'
import {
  countUpTo,
  type Database,
  type DeviceTable,
  fromInstant,
  insertMany,
  inTransaction,
  toInstant,
} from '../../database/index.ts'
import type { Brands } from '../fleet/list-way-store.ts'
import type { CountedNow, DeviceCount } from './device-counts.ts'

/** The last device of a counted part of the register. */
export type CountPosition = Readonly<Pick<DeviceTable, 'brand_id' | 'model' | 'status' | 'id'>>

export interface CountStore {
  /** Counts the first `rows` devices after a position. `end` is the last of them; undefined if there are no more. */
  countPart(
    after: CountPosition | undefined,
    rows: number,
  ): Promise<{ readonly counts: readonly DeviceCount[]; readonly end: CountPosition | undefined }>
  /** Replaces all counts from before `at`. Also stores `at` if there are no counts. */
  keep(counts: readonly DeviceCount[], at: Date): Promise<void>
  /** Returns the stored counts, sorted by brand, model and status. */
  kept(
    brands: Brands,
  ): Promise<{ readonly counts: readonly DeviceCount[]; readonly countedAt: Date | undefined }>
  /** Counts devices that wait or are in quarantine, as of now, up to `most`. */
  countNow(what: 'waiting' | 'quarantined', brands: Brands, most: number): Promise<CountedNow>
}

declare module '../../stores.ts' {
  interface Stores {
    readonly deviceCounts: CountStore
  }
}

type Row = Readonly<Pick<DeviceTable, 'brand_id' | 'model' | 'status'>> & { readonly devices: number }

export function countStore({ query }: Pick<Database, 'query'>): CountStore {
  return {
    async countPart(after, rows) {
      // The index device_model_status contains all of these columns.
      const part = (columns: RawBuilder<unknown>) => sql`select ${columns} from device
        ${after ? sql`where (brand_id, model, status, id) > (${after.brand_id}, ${after.model}, ${after.status}, ${after.id})` : sql``}
        order by brand_id, model, status, id`
      const { rows: counted } = await sql<Row>`select brand_id, model, status, count(*) as devices
        from (${part(sql`brand_id, model, status`)} limit ${rows}) as part
        group by brand_id, model, status`.execute(query)
      const { rows: ends } = await sql<CountPosition>`${part(sql`brand_id, model, status, id`)}
        limit 1 offset ${rows - 1}`.execute(query)
      return { counts: counted.map(countOf), end: ends[0] }
    },

    async keep(counts, at) {
      const countedAt = toInstant(at)
      await inTransaction(query, async (transaction) => {
        // The order is the same everywhere. Uses the primary key, then reads the whole table, which has one
        // row per kind.
        const rows = [COUNTED, ...counts]
          .map(({ brandId, model, status, devices }) => ({
            ...{ brand_id: brandId, model, status, devices, counted_at: countedAt },
          }))
          .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        await insertMany(transaction, 'device_count', rows)
          .onConflict((conflict) =>
            conflict.columns(['brand_id', 'model', 'status']).doUpdateSet((set) => ({
              devices: set.ref('excluded.devices'),
              counted_at: set.ref('excluded.counted_at'),
            })),
          )
          .execute()
        await transaction.deleteFrom('device_count').where('counted_at', '<', countedAt).execute()
      })
    },

    async kept(brands) {
      // The primary key begins with the brand.
      const rows = await query
        .selectFrom('device_count')
        .selectAll()
        .$if(brands !== 'all', (some) => some.where('brand_id', 'in', [COUNTED.brandId, ...brands]))
        .execute()
      const counted = rows[0]?.counted_at
      return {
        counts: rows
          .filter(({ brand_id }) => brand_id !== COUNTED.brandId)
          .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
          .map(countOf),
        countedAt: counted === undefined ? undefined : fromInstant(counted),
      }
    },

    async countNow(what, brands, most) {
      // Uses the index device_waiting, or device_quarantined or device_brand_quarantined.
      const found = query
        .selectFrom('device')
        .select('device.id')
        .where(
          what === 'waiting' ? sql<boolean>`status = 'pending'` : sql<boolean>`quarantined_at is not null`,
        )
        .$if(brands !== 'all', (some) => some.where('brand_id', 'in', brands === 'all' ? [] : brands))
      const { count: devices, more } = await countUpTo(query, found, most)
      return { devices, more }
    },
  }
}

/** A row without devices, from which every reader gets the time of the count. */
const COUNTED: DeviceCount = { brandId: '', model: '', status: 'active', devices: 0 }

const keyOf = ({ brand_id, model, status }: Omit<Row, 'devices' | 'status'> & { readonly status: string }) =>
  `${brand_id}/${model}/${status}`

const countOf = (row: Omit<Row, 'status'> & { readonly status: string }): DeviceCount => ({
  brandId: row.brand_id,
  model: row.model,
  // Only statuses of devices are counted.
  status: row.status as DeviceCount['status'],
  devices: Number(row.devices),
})
