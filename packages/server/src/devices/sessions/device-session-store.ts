/** The sessions of devices: the table `device_session`. */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  anyRowChanged,
  type Database,
  type DeviceSessionTable,
  type DeviceTable,
  fromInstant,
  toInstant,
} from '../../database/index.ts'
import { deviceOf } from '../device-store.ts'
import type { DeviceSession, FoundSession } from './device-session.ts'

export interface DeviceSessionStore {
  /** False, and nothing is stored, if its nonce was used: of several that race with one nonce, one wins. */
  add(session: DeviceSession): Promise<boolean>
  find(id: DeviceSessionId): Promise<FoundSession | undefined>
  findByNonce(nonceHash: Uint8Array): Promise<FoundSession | undefined>
  /** The newest session of a chain. */
  headOf(chainId: DeviceSessionId): Promise<DeviceSession | undefined>
  /** The chain of the device that began last. */
  newestChain(id: DeviceId): Promise<DeviceSessionId | undefined>
  /** The newest session of the device that has not expired at this instant. */
  newestAlive(id: DeviceId, at: Date): Promise<DeviceSession | undefined>
  /** Newest first, at most `limit`. */
  ofDevice(id: DeviceId, limit: number): Promise<readonly DeviceSession[]>
  /**
   * Removes at most `limit` sessions that expired before that instant, and returns how many. The register remembers when
   * a device opened its last one, unless the device was removed.
   */
  removeExpired(before: Date, limit: number): Promise<number>
}

export function deviceSessionStore({ query }: Pick<Database, 'query'>): DeviceSessionStore {
  /** Joins the device by its primary key. */
  const found = () =>
    query
      .selectFrom('device_session')
      .innerJoin('device', 'device.id', 'device_session.device_id')
      .selectAll()

  const newestFirst = () =>
    query.selectFrom('device_session').selectAll().orderBy('opened_at', 'desc').orderBy('session_id', 'desc')

  /** Writes to devices that have only sessions from before that instant when they last opened one. */
  const keepLast = async (ids: readonly string[], before: Date) => {
    // Index device_session_device, for each device.
    const last = sql<number>`(select max(opened_at) from device_session where device_id = device.id)`
    await query
      .updateTable('device')
      .set({ last_session_at: last })
      .where('id', 'in', [...new Set(ids)])
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('device_session')
              .select('session_id')
              .whereRef('device_session.device_id', '=', 'device.id')
              .where('expires_at', '>=', toInstant(before)),
          ),
        ),
      )
      // Of a removed device only its serial and key are remembered.
      .where('removed_at', 'is', null)
      // A session that was opened later may have ended earlier, and be removed already.
      .where(sql<boolean>`coalesce(last_session_at, 0) < ${last}`)
      .execute()
  }

  return {
    async add(session) {
      const result = await query
        .insertInto('device_session')
        .values({
          session_id: session.id,
          device_id: session.deviceId,
          chain_id: session.chainId,
          previous_id: session.previousId,
          nonce_hash: session.nonceHash,
          request_hash: session.requestHash,
          macaroon_id: session.macaroonId,
          store: session.store,
          opened_at: toInstant(session.openedAt),
          expires_at: toInstant(session.expiresAt),
          address: session.caller.address,
          user_agent: session.caller.userAgent,
        })
        .onConflict((conflict) => conflict.column('nonce_hash').doNothing())
        .executeTakeFirst()
      return anyRowChanged(result)
    },

    async find(id) {
      // Primary key.
      const row = await found().where('session_id', '=', id).executeTakeFirst()
      return row && foundOf(row)
    },

    async findByNonce(nonceHash) {
      // The unique index device_session_nonce_hash_key.
      const row = await found().where('nonce_hash', '=', nonceHash).executeTakeFirst()
      return row && foundOf(row)
    },

    async headOf(chainId) {
      // Index device_session_chain.
      const row = await newestFirst().where('chain_id', '=', chainId).limit(1).executeTakeFirst()
      return row && sessionOf(row)
    },

    async newestChain(id) {
      // Index device_session_device; a device has few sessions, because old ones are removed.
      const { newest } = await query
        .selectFrom('device_session')
        .select((select) => select.fn.max('chain_id').as('newest'))
        .where('device_id', '=', id)
        .executeTakeFirstOrThrow()
      // The column contains only ids of sessions. Over no rows the maximum is null, which the types do not say.
      return (newest as DeviceSessionId | null) ?? undefined
    },

    async newestAlive(id, at) {
      // Index device_session_device.
      const row = await newestFirst()
        .where('device_id', '=', id)
        .where('expires_at', '>', toInstant(at))
        .limit(1)
        .executeTakeFirst()
      return row && sessionOf(row)
    },

    async ofDevice(id, limit) {
      // Index device_session_device.
      const rows = await newestFirst().where('device_id', '=', id).limit(limit).execute()
      return rows.map(sessionOf)
    },

    async removeExpired(before, limit) {
      // Index device_session_expires.
      const expired = await query
        .selectFrom('device_session')
        .select(['session_id', 'device_id'])
        .where('expires_at', '<', toInstant(before))
        .orderBy('expires_at')
        .limit(limit)
        .execute()
      if (expired.length === 0) return 0
      await keepLast(
        expired.map(({ device_id }) => device_id),
        before,
      )
      // Primary key.
      const { numDeletedRows } = await query
        .deleteFrom('device_session')
        .where(
          'session_id',
          'in',
          expired.map(({ session_id }) => session_id),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

function sessionOf(row: DeviceSessionTable): DeviceSession {
  return {
    // These columns contain only ids of sessions and devices.
    id: row.session_id as DeviceSessionId,
    deviceId: row.device_id as DeviceId,
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
