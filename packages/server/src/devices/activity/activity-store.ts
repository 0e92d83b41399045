/** The table `device_activity`. */
import type { DeviceId } from '@ratafia/api'
import { type RawBuilder, sql } from 'kysely'
import { addressKey } from '../../addresses/address.ts'
import {
  compiledOnce,
  type Database,
  fromInstant,
  insertMany,
  isReferenceViolation,
  listed,
  listOf,
  toInstant,
} from '../../database/index.ts'
import type { DeviceStatus } from '../device.ts'
import type { DeviceActivity, SeenDevice } from './device-activity.ts'

export interface ActivityStore {
  /**
   * Stores when and where devices were seen: one row per device, at most 1,000. A later time that is already
   * stored wins. Skips devices that are no longer in the register, or are revoked or superseded.
   */
  saw(seen: readonly SeenDevice[]): Promise<void>
  /** Returns the activity of each device that has any. Accepts at most 1,000 ids. */
  of(ids: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, DeviceActivity>>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly activities: ActivityStore
  }
}

/** Statuses whose devices still have personal data. An operator may have removed that of others permanently. */
const SEEN_STATUSES: readonly DeviceStatus[] = ['pending', 'rejected', 'active']

export function activityStore({ query }: Pick<Database, 'query'>): ActivityStore {
  const saw = async (seen: readonly SeenDevice[]): Promise<void> => {
    // The primary key begins with the id.
    const rows = await query
      .selectFrom('device')
      .select(['id', 'bucket', 'brand_id'])
      .where(
        'id',
        'in',
        seen.map(({ id }) => id),
      )
      .where('bucket', 'in', [...new Set(seen.map(({ bucket }) => bucket))])
      .where('status', 'in', SEEN_STATUSES)
      .execute()
    const brands = new Map(rows.map(({ id, brand_id }) => [id, brand_id]))
    const stored = seen.flatMap(({ id, bucket, at, address }) => {
      const brandId = brands.get(id)
      if (brandId === undefined) return []
      const where = { address, address_key: addressKey(address) ?? null }
      return [{ device_id: id, bucket, brand_id: brandId, last_seen_at: toInstant(at), ...where }]
    })
    if (stored.length === 0) return
    // Sorted by the primary key everywhere, so that two callers don't deadlock.
    const ordered = stored.toSorted((a, b) => (a.device_id < b.device_id ? -1 : 1))
    await insertMany(query, 'device_activity', ordered)
      .onConflict((conflict) =>
        conflict
          .columns(['device_id', 'bucket'])
          .doUpdateSet((set) => ({
            last_seen_at: set.ref('excluded.last_seen_at'),
            address: set.ref('excluded.address'),
            address_key: set.ref('excluded.address_key'),
          }))
          .where(
            sql<boolean>`coalesce(device_activity.last_seen_at, 0) < ${sql.ref('excluded.last_seen_at')}`,
          ),
      )
      .execute()
  }

  return {
    async saw(seen) {
      if (seen.length === 0) return
      try {
        await saw(seen)
      } catch (error) {
        // A device was removed between the two statements. The second attempt doesn't find it.
        if (!isReferenceViolation(error)) throw error
        await saw(seen)
      }
    },

    async of(ids) {
      if (ids.length === 0) return new Map()
      // The primary key begins with the id.
      const rows = await query
        .selectFrom('device_activity')
        .selectAll()
        .where('device_id', 'in', ids)
        .execute()
      return new Map(
        rows.map((row) => [
          row.device_id as DeviceId,
          {
            lastSeenAt: fromInstant(row.last_seen_at),
            lastAddress: row.address,
            evidenceAt: fromInstant(row.evidence_at),
          },
        ]),
      )
    },
  }
}

const EVIDENT = { device_id: 'text', bucket: 'bigint', at: 'bigint' } as const

/**
 * Returns the statement that stores when evidence was last seen; it runs in the transaction that stores the evidence.
 * `evident` is a source for `from` with device_id, bucket and last_seen_at; `bucket` is the bucket of those devices.
 */
export const markEvidenceOf = (evident: RawBuilder<unknown>, bucket: RawBuilder<unknown>) =>
  // Uses primary keys, in the same order everywhere.
  sql`insert into ${sql.table('device_activity')} (device_id, bucket, brand_id, evidence_at)
    select device_id, bucket, brand_id, last_seen_at from (
      select device_id, evident.bucket, max(last_seen_at) as last_seen_at,
        (select brand_id from device where device.id = evident.device_id and device.bucket = ${bucket}) as brand_id
      from ${evident} group by device_id, evident.bucket
    ) as marked where true order by device_id
    on conflict (device_id, bucket) do update set evidence_at = excluded.evidence_at
      where coalesce(device_activity.evidence_at, 0) < excluded.evidence_at`

interface Evident {
  readonly deviceId: DeviceId
  readonly bucket: number
  readonly at: Date
}

const markListed = compiledOnce((query, { list, bucket }: { list: string; bucket: number }) =>
  markEvidenceOf(
    sql`(select device_id, bucket, ${sql.ref('at')} as last_seen_at from ${listed(query, 'listed', EVIDENT, list)}) as evident`,
    sql`${bucket}`,
  ),
)

/** Does the same as {@link markEvidenceOf} for one device. */
export async function markEvidence(
  query: Database['query'],
  { deviceId, bucket, at }: Evident,
): Promise<void> {
  const row = { device_id: deviceId, bucket, at: toInstant(at) }
  await markListed(query, { list: listOf(EVIDENT, [row]), bucket })
}

/**
 * Corrects the marks of devices after evidence from before that instant was removed: the newest remaining
 * evidence sets the mark; without any, the mark is removed.
 */
export async function forgetEvidence(
  query: Database['query'],
  devices: readonly { readonly device_id: string; readonly bucket: number }[],
  before: Date,
): Promise<void> {
  if (devices.length === 0) return
  // Uses the primary key, and that of clone_evidence. Evidence that arrived in the meantime is newer, and stays marked.
  await query
    .updateTable('device_activity')
    .set({
      evidence_at: sql<number>`(select max(last_seen_at) from clone_evidence
        where clone_evidence.device_id = device_activity.device_id
          and clone_evidence.bucket = device_activity.bucket)`,
    })
    .where('device_id', 'in', [...new Set(devices.map(({ device_id }) => device_id))])
    .where('bucket', 'in', [...new Set(devices.map(({ bucket }) => bucket))])
    .where('evidence_at', '<', toInstant(before))
    .execute()
}
