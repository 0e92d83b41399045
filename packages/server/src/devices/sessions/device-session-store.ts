/** The sessions of devices: the table `device_session`. */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import { sql } from 'kysely'
import { bucketOf } from '../../bucket.ts'
import {
  compiledOnce,
  type Database,
  type DeviceSessionTable,
  type DeviceTable,
  fromInstant,
  inBatchesOf,
  toInstant,
} from '../../database/index.ts'
import type { Sighting } from '../clones/clone-evidence.ts'
import type { DeviceRef } from '../device.ts'
import { deviceOf } from '../device-store.ts'
import type { DeviceSession, FoundSession } from './device-session.ts'
import { addSessions, type Opening } from './new-session-store.ts'
import { type Asked, type Beside, findHolders, type HolderOfSessions } from './session-holder-store.ts'

export interface DeviceSessionStore {
  /**
   * Returns false, and stores nothing, if its nonce was already used (if several sessions race with one
   * nonce, one wins), or if its device can't have sessions any more.
   */
  add(session: DeviceSession): Promise<boolean>
  /**
   * Does the same as `add`, and records the sighting as `CloneStore.record` does: one statement on
   * PostgreSQL. Returns undefined, and stores nothing, if the session isn't stored.
   */
  addSeen(session: DeviceSession, sighting: Sighting): Promise<{ readonly recorded: boolean } | undefined>
  /** Returns a session of this device key. */
  find(id: DeviceSessionId, deviceKeyId: string): Promise<FoundSession | undefined>
  /** Returns the session that this device key opened with the nonce. */
  findByNonce(nonceHash: Uint8Array, deviceKeyId: string): Promise<FoundSession | undefined>
  /**
   * Returns the active or revoked device with this serial and device key, and the sessions that a new one is
   * compared with: the session `previous` and the head of its chain, the head of the chain that began last,
   * and the newest session that has not expired at that instant.
   */
  findHolder(name: Asked['name'], beside: Beside): Promise<HolderOfSessions | undefined>
  /** Newest first, at most `limit`. */
  ofDevice(device: DeviceRef, limit: number): Promise<readonly DeviceSession[]>
  /**
   * Removes at most `limit` sessions that expired before that instant, and returns how many. The register
   * keeps when a device opened its last one, unless the device was removed.
   */
  removeExpired(before: Date, limit: number): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly deviceSessions: DeviceSessionStore
  }
}

/** Joins the device by its primary key. */
const withDevice = (query: Database['query']) =>
  query
    .selectFrom('device_session')
    .innerJoin('device', (join) =>
      join
        .onRef('device.id', '=', 'device_session.device_id')
        .onRef('device.bucket', '=', 'device_session.bucket'),
    )
    .selectAll()

/** Uses the primary key. */
const selectById = compiledOnce((query, { id, bucket }: { id: DeviceSessionId; bucket: number }) =>
  withDevice(query).where('session_id', '=', id).where('device_session.bucket', '=', bucket),
)

/** Uses the unique index device_session_nonce_hash_bucket_key. */
const selectByNonce = compiledOnce((query, key: { nonceHash: Uint8Array; bucket: number }) =>
  withDevice(query).where('nonce_hash', '=', key.nonceHash).where('device_session.bucket', '=', key.bucket),
)

/** With `distributed`, each statement is about the devices of one bucket. */
export function deviceSessionStore({
  query,
  distributed = false,
}: Pick<Database, 'query'> & Partial<Pick<Database, 'distributed'>>): DeviceSessionStore {
  const newestFirst = () =>
    query.selectFrom('device_session').selectAll().orderBy('opened_at', 'desc').orderBy('session_id', 'desc')

  /** Stores when devices last opened a session, for those that have only sessions from before that instant. */
  const keepLast = async (devices: readonly KeyOfDevice[], before: Date) => {
    // Uses the index device_session_device for each device.
    const last = sql<number>`(select max(opened_at) from device_session
      where device_id = device.id and device_session.bucket = device.bucket)`
    await query
      .updateTable('device')
      .set({ last_session_at: last })
      .where('id', 'in', [...new Set(devices.map(({ device_id }) => device_id))])
      .where('bucket', 'in', bucketsOf(devices))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('device_session')
              .select('session_id')
              .whereRef('device_session.device_id', '=', 'device.id')
              .whereRef('device_session.bucket', '=', 'device.bucket')
              .where('expires_at', '>=', toInstant(before)),
          ),
        ),
      )
      // The register keeps only the serial and key of a removed device.
      .where('removed_at', 'is', null)
      // A session that was opened later may have expired earlier, and may already be removed.
      .where(sql<boolean>`coalesce(last_session_at, 0) < ${last}`)
      .execute()
  }

  const groupOf = (bucket: number) => (distributed ? bucket : 0)
  const findHolder = inBatchesOf(
    ({ name }: Asked) => groupOf(bucketOf(name.deviceKeyId)),
    (asked) => findHolders(query, asked),
  )
  const add = inBatchesOf(
    ({ session }: Opening) => groupOf(session.bucket),
    (openings) => addSessions(query, openings),
  )

  return {
    add: async (session) => (await add({ session })) !== undefined,

    async addSeen(session, sighting) {
      const recorded = await add({ session, sighting })
      return recorded === undefined ? undefined : { recorded }
    },

    async find(id, deviceKeyId) {
      const bucket = bucketOf(deviceKeyId)
      const [row] = (await selectById(query, { id, bucket })).rows
      return row && foundOf(row)
    },

    async findByNonce(nonceHash, deviceKeyId) {
      const bucket = bucketOf(deviceKeyId)
      const [row] = (await selectByNonce(query, { nonceHash, bucket })).rows
      return row && foundOf(row)
    },

    findHolder: (name, beside) => findHolder({ name, ...beside }),

    async ofDevice({ id, bucket }, limit) {
      // Uses the index device_session_device.
      const rows = await newestFirst()
        .where((where) => where.and({ device_id: id, bucket }))
        .limit(limit)
        .execute()
      return rows.map(sessionOf)
    },

    async removeExpired(before, limit) {
      // Uses the index device_session_expires.
      const expired = await query
        .selectFrom('device_session')
        .select(['session_id', 'bucket', 'device_id'])
        .where('expires_at', '<', toInstant(before))
        .orderBy('expires_at')
        .limit(limit)
        .execute()
      if (expired.length === 0) return 0
      await keepLast(expired, before)
      // Uses the primary key. Ids are already unique; the buckets locate the rows.
      const { numDeletedRows } = await query
        .deleteFrom('device_session')
        .where(
          'session_id',
          'in',
          expired.map(({ session_id }) => session_id),
        )
        .where('bucket', 'in', bucketsOf(expired))
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

type KeyOfDevice = Pick<DeviceSessionTable, 'device_id' | 'bucket'>

const bucketsOf = (rows: readonly KeyOfDevice[]): number[] => [...new Set(rows.map(({ bucket }) => bucket))]

function sessionOf(row: DeviceSessionTable): DeviceSession {
  return {
    // These columns contain only ids of sessions and devices.
    id: row.session_id as DeviceSessionId,
    deviceId: row.device_id as DeviceId,
    bucket: row.bucket,
    chainId: row.chain_id as DeviceSessionId,
    previousId: row.previous_id as DeviceSessionId | null,
    nonceHash: row.nonce_hash,
    requestHash: row.request_hash,
    macaroonId: row.macaroon_id,
    store: row.store,
    openedAt: fromInstant(row.opened_at),
    expiresAt: fromInstant(row.expires_at),
    caller: { address: row.address, userAgent: row.user_agent },
  }
}

const foundOf = (row: DeviceSessionTable & DeviceTable): FoundSession => ({
  session: sessionOf(row),
  device: deviceOf(row),
})
