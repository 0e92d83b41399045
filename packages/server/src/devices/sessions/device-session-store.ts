/** The sessions of devices: the table `device_session`. */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  type DeviceSessionTable,
  type DeviceTable,
  fromInstant,
  insertsInWith,
  inTransaction,
  toInstant,
} from '../../database/index.ts'
import type { Device, SerialName } from '../device.ts'
import { deviceOf, type Nullable } from '../device-store.ts'
import type { Sighting } from './clone-evidence.ts'
import { insertOfSighting, recordSighting, type SightingRow, sightingRow } from './clone-store.ts'
import type { DeviceSession, FoundSession } from './device-session.ts'

/** Which sessions of a device to read. */
export interface Beside {
  readonly previous: DeviceSessionId | undefined
  readonly at: Date
}

export interface HolderOfSessions {
  readonly device: Device
  /** In no order. */
  readonly sessions: readonly DeviceSession[]
}

export interface DeviceSessionStore {
  /**
   * False, and nothing is stored, if its nonce was used (of several that race with one nonce, one wins), or if its device
   * may have no session any more.
   */
  add(session: DeviceSession): Promise<boolean>
  /**
   * As `add`, and records what was seen when it was opened, as `CloneStore.record` does: one statement on PostgreSQL.
   * Undefined, and nothing is stored, if the session is not.
   */
  addSeen(session: DeviceSession, sighting: Sighting): Promise<{ readonly recorded: boolean } | undefined>
  find(id: DeviceSessionId): Promise<FoundSession | undefined>
  findByNonce(nonceHash: Uint8Array): Promise<FoundSession | undefined>
  /**
   * The active or revoked device with this serial, and those of its sessions that a new one is compared with: the
   * session `previous` and the head of its chain, the head of the chain that began last, and the newest session that has
   * not expired at that instant.
   */
  findHolder(name: SerialName, beside: Beside): Promise<HolderOfSessions | undefined>
  /** Newest first, at most `limit`. */
  ofDevice(id: DeviceId, limit: number): Promise<readonly DeviceSession[]>
  /**
   * Removes at most `limit` sessions that expired before that instant, and returns how many. The register remembers when
   * a device opened its last one, unless the device was removed.
   */
  removeExpired(before: Date, limit: number): Promise<number>
}

/** Joins the device by its primary key. */
const withDevice = (query: Database['query']) =>
  query.selectFrom('device_session').innerJoin('device', 'device.id', 'device_session.device_id').selectAll()

/** Primary key. */
const selectById = compiledOnce((query, { id }: { id: DeviceSessionId }) =>
  withDevice(query).where('session_id', '=', id),
)

/** The unique index device_session_nonce_hash_key. */
const selectByNonce = compiledOnce((query, { nonceHash }: { nonceHash: Uint8Array }) =>
  withDevice(query).where('nonce_hash', '=', nonceHash),
)

/** Primary key of the device, then the unique index device_session_nonce_hash_key. */
const insertOf = (
  row: DeviceSessionTable,
) => sql`insert into ${sql.table('device_session')} (session_id, device_id,
    chain_id, previous_id, nonce_hash, request_hash, macaroon_id, store, opened_at, expires_at, address, user_agent)
  select ${row.session_id}, id, ${row.chain_id}, ${row.previous_id}, ${row.nonce_hash}, ${row.request_hash},
    ${row.macaroon_id}, ${row.store}, ${row.opened_at}, ${row.expires_at}, ${row.address}, ${row.user_agent}
  from device
  where id = ${row.device_id} and status = 'active' and quarantined_at is null
  on conflict (nonce_hash) do nothing`

const insertSession = compiledOnce((query, row: DeviceSessionTable) => ({
  compile: () => insertOf(row).compile(query),
}))

const insertSeen = compiledOnce((query, row: DeviceSessionTable & SightingRow) => ({
  compile: () =>
    sql<{ readonly recorded: boolean }>`with opened as (${insertOf(row)} returning device_id),
        seen as (${insertOfSighting(row, sql`from opened`)} returning kind)
        select exists (select from seen) as recorded from opened`.compile(query),
}))

/**
 * The unique index device_brand_id_model_serial_key; then device_session's primary key, device_session_chain and
 * device_session_device. A program that holds the key of a device may open many sessions: the list of those that matter
 * is made once, and not for each of them.
 */
const selectHolder = compiledOnce(
  (query, name: Record<keyof SerialName, string> & { previous: string | null; at: number }) => {
    const newest = sql`order by opened_at desc, session_id desc limit 1`
    const session = sql.table('device_session')
    const { brandId, model, serial, previous, at } = name
    const statement = sql<DeviceTable & Nullable<DeviceSessionTable>>`with holder as (
        select * from ${sql.table('device')}
        where brand_id = ${brandId} and model = ${model} and serial = ${serial} and status in ('active', 'revoked')
      ), named (id) as (
        select session_id from ${session} where session_id = ${previous}
        union select (select session_id from ${session} where chain_id = (
          select chain_id from ${session} where session_id = ${previous}
        ) ${newest})
        union select (select session_id from ${session} where chain_id = (
          select max(chain_id) from ${session} where device_id = holder.id
        ) ${newest}) from holder
        union select (
          select session_id from ${session} where device_id = holder.id and expires_at > ${at} ${newest}
        ) from holder
      )
      select * from holder
      left join (select device_session.* from named join ${session} on session_id = named.id) as session
        on session.device_id = holder.id`
    return { compile: () => statement.compile(query) }
  },
)

export function deviceSessionStore({ query }: Pick<Database, 'query'>): DeviceSessionStore {
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
    add: async (session) => anyRowChanged(await insertSession(query, rowOf(session))),

    async addSeen(session, sighting) {
      const seen = sightingRow({ ...sighting, at: session.openedAt, deviceId: session.deviceId })
      if (insertsInWith(query)) return (await insertSeen(query, { ...rowOf(session), ...seen })).rows[0]
      return inTransaction(query, async (transaction) => {
        if (!anyRowChanged(await insertSession(transaction, rowOf(session)))) return undefined
        return { recorded: anyRowChanged(await recordSighting(transaction, seen)) }
      })
    },

    async find(id) {
      const [row] = (await selectById(query, { id })).rows
      return row && foundOf(row)
    },

    async findByNonce(nonceHash) {
      const [row] = (await selectByNonce(query, { nonceHash })).rows
      return row && foundOf(row)
    },

    async findHolder({ brandId, model, serial }, { previous = null, at }) {
      const values = { brandId, model, serial, previous, at: toInstant(at) }
      const { rows } = await selectHolder(query, values)
      const [first] = rows
      return first && { device: deviceOf(first), sessions: rows.flatMap((row) => sessionIn(row) ?? []) }
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

const rowOf = (session: DeviceSession): DeviceSessionTable => ({
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

const sessionIn = (row: Nullable<DeviceSessionTable>): DeviceSession | undefined =>
  row.session_id === null ? undefined : sessionOf(row as DeviceSessionTable)

const foundOf = (row: DeviceSessionTable & DeviceTable): FoundSession => ({
  session: sessionOf(row),
  device: deviceOf(row),
})
