/** Counts devices: the table `device_count`, and what is counted at once. */
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

/** Where a part of the register ends. */
export type CountPosition = Readonly<Pick<DeviceTable, 'brand_id' | 'model' | 'status' | 'id'>>

export interface CountStore {
  /** Counts the first `rows` devices behind a position. `end` is where they end; undefined if there are no more. */
  countPart(
    after: CountPosition | undefined,
    rows: number,
  ): Promise<{ readonly counts: readonly DeviceCount[]; readonly end: CountPosition | undefined }>
  /** Replaces the counts of before `at`. */
  keep(counts: readonly DeviceCount[], at: Date): Promise<void>
  /** By brand, model and status. */
  kept(
    brands: Brands,
  ): Promise<{ readonly counts: readonly DeviceCount[]; readonly countedAt: Date | undefined }>
  /** Those that wait, or are in quarantine, as of now: at most `most` are counted. */
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
      // Index device_model_status, which has all of these columns.
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
        // In one order everywhere. Primary key; then the whole table, which has a row for each kind.
        const rows = counts
          .map(({ brandId, model, status, devices }) => ({
            ...{ brand_id: brandId, model, status: status as string, devices, counted_at: countedAt },
          }))
          .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        if (rows.length > 0) {
          await insertMany(transaction, 'device_count', rows)
            .onConflict((conflict) =>
              conflict.columns(['brand_id', 'model', 'status']).doUpdateSet((set) => ({
                devices: set.ref('excluded.devices'),
                counted_at: set.ref('excluded.counted_at'),
              })),
            )
            .execute()
        }
        await transaction.deleteFrom('device_count').where('counted_at', '<', countedAt).execute()
      })
    },

    async kept(brands) {
      // The primary key begins with the brand.
      const rows = await query
        .selectFrom('device_count')
        .selectAll()
        .$if(brands !== 'all', (some) => some.where('brand_id', 'in', brands === 'all' ? [] : brands))
        .execute()
      const counted = rows[0]?.counted_at
      return {
        counts: rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(countOf),
        countedAt: counted === undefined ? undefined : fromInstant(counted),
      }
    },

    async countNow(what, brands, most) {
      // Index device_waiting; device_quarantined or device_brand_quarantined.
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

const keyOf = ({ brand_id, model, status }: Omit<Row, 'devices' | 'status'> & { readonly status: string }) =>
  `${brand_id}/${model}/${status}`

const countOf = (row: Omit<Row, 'status'> & { readonly status: string }): DeviceCount => ({
  brandId: row.brand_id,
  model: row.model,
  // Only statuses of devices are counted.
  status: row.status as DeviceCount['status'],
  devices: Number(row.devices),
})
