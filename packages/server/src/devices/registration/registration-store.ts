/**
 * Used request-ids, their requests and the callers' addresses: the table `device_registration`. Rows of other
 * device keys can be in other shards, so `used_request_id` ensures that a request-id works for only one key.
 */
import type { DeviceId } from '@ratafia/api'
import { bucketOf } from '../../bucket.ts'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  type DeviceRegistrationTable,
  fromInstant,
  inTransaction,
  isReferenceViolation,
  toInstant,
} from '../../database/index.ts'
import type { Caller, DeviceRef } from '../device.ts'

export interface RegistrationRow {
  /** The SHA-256 of the request-id. */
  readonly requestIdHash: Uint8Array
  readonly deviceId: DeviceId
  /** The device's bucket. */
  readonly bucket: number
  /** The SHA-256 of the serial-request's content. A request that is signed again is the same request. */
  readonly requestHash: Uint8Array
  readonly at: Date
  readonly caller: Caller
}

export interface RegistrationStore {
  /** Returns this device key's use of the request-id. */
  find(requestIdHash: Uint8Array, deviceKeyId: string): Promise<RegistrationRow | undefined>
  /**
   * Stores the use of a request-id. Returns `lost`, and stores nothing, if a request of the same key was faster, or if
   * the device was removed in the meantime; the failed statement then forces the transaction to be rolled back. Returns
   * `taken` if another key used the request-id; the transaction must then be rolled back.
   */
  add(registration: RegistrationRow): Promise<'stored' | 'lost' | 'taken'>
  /** Newest first, at most `limit`. */
  ofDevice(device: DeviceRef, limit: number): Promise<readonly RegistrationRow[]>
  /**
   * Removes at most `limit` rows from before that instant, of devices that were also decided before it: a
   * pending device can still repeat its request. Returns how many.
   */
  removeSettled(before: Date, limit: number): Promise<number>
  /** Removes at most `limit` request-ids that were used before that instant, and returns how many. */
  removeUsed(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly registrations: RegistrationStore
  }
}

/** Uses the primary key. */
const selectByHash = compiledOnce((query, key: { requestIdHash: Uint8Array; bucket: number }) =>
  query
    .selectFrom('device_registration')
    .selectAll()
    .where('request_id_hash', '=', key.requestIdHash)
    .where('bucket', '=', key.bucket),
)

export function registrationStore({ query }: Pick<Database, 'query'>): RegistrationStore {
  return {
    async find(requestIdHash, deviceKeyId) {
      const bucket = bucketOf(deviceKeyId)
      const [row] = (await selectByHash(query, { requestIdHash, bucket })).rows
      return row && rowOf(row)
    },

    async add(registration) {
      try {
        return await inTransaction(query, (transaction) => use(transaction, registration))
      } catch (error) {
        if (error instanceof Taken) return 'taken'
        if (isReferenceViolation(error)) return 'lost'
        throw error
      }
    },

    async ofDevice({ id, bucket }, limit) {
      // Uses the index device_registration_device.
      const rows = await query
        .selectFrom('device_registration')
        .selectAll()
        .where((where) => where.and({ device_id: id, bucket }))
        .orderBy('registered_at', 'desc')
        .limit(limit)
        .execute()
      return rows.map(rowOf)
    },

    async removeUsed(before, limit) {
      // Uses the index used_request_id_at, then the primary key.
      const old = query
        .selectFrom('used_request_id')
        .select('request_id_hash')
        .where('used_at', '<', toInstant(before))
        .orderBy('used_at')
        .limit(limit)
      const { numDeletedRows } = await query
        .deleteFrom('used_request_id')
        .where('request_id_hash', 'in', old)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },

    async removeSettled(before, limit) {
      const instant = toInstant(before)
      // Uses the index device_registration_at, then the primary keys. Skips waiting devices: at most 10,000 per model.
      const settled = query
        .selectFrom('device_registration')
        .innerJoin('device', (join) =>
          join
            .onRef('device.id', '=', 'device_registration.device_id')
            .onRef('device.bucket', '=', 'device_registration.bucket'),
        )
        .select(['request_id_hash', 'device_registration.bucket'])
        .where('device_registration.registered_at', '<', instant)
        .where('status', '<>', 'pending')
        .where((where) => where.or([where('decided_at', 'is', null), where('decided_at', '<', instant)]))
        .orderBy('device_registration.registered_at')
        .limit(limit)
      const { numDeletedRows } = await query
        .deleteFrom('device_registration')
        .where(({ eb, refTuple }) =>
          eb(refTuple('request_id_hash', 'bucket'), 'in', settled.$asTuple('request_id_hash', 'bucket')),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

/** Aborts the transaction. */
class Taken extends Error {}

/** Throws {@link Taken} if another key used the request-id. */
async function use(
  query: Database['query'],
  { requestIdHash, deviceId, bucket, requestHash, at, caller }: RegistrationRow,
): Promise<'stored' | 'lost'> {
  const row = {
    ...{ request_id_hash: requestIdHash, bucket, device_id: deviceId, request_hash: requestHash },
    ...{ registered_at: toInstant(at), address: caller.address, user_agent: caller.userAgent },
  }
  const added = await query
    .insertInto('device_registration')
    .values(row)
    .onConflict((conflict) => conflict.columns(['request_id_hash', 'bucket']).doNothing())
    .executeTakeFirst()
  if (!anyRowChanged(added)) return 'lost'
  const used = await query
    .insertInto('used_request_id')
    .values({ request_id_hash: requestIdHash, used_at: toInstant(at) })
    .onConflict((conflict) => conflict.column('request_id_hash').doNothing())
    .executeTakeFirst()
  if (!anyRowChanged(used)) throw new Taken()
  return 'stored'
}

const rowOf = (row: DeviceRegistrationTable): RegistrationRow => ({
  requestIdHash: row.request_id_hash,
  // The column references a device's id.
  deviceId: row.device_id as DeviceId,
  bucket: row.bucket,
  requestHash: row.request_hash,
  at: fromInstant(row.registered_at),
  caller: { address: row.address, userAgent: row.user_agent },
})
