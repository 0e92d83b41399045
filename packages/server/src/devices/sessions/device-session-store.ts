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
  inBatches,
  insertsInWith,
  inTransaction,
  joinOne,
  jsonOf,
  listed,
  listOf,
  toInstant,
} from '../../database/index.ts'
import type { Device, SerialName } from '../device.ts'
import { deviceOf } from '../device-store.ts'
import type { Sighting } from './clone-evidence.ts'
import { insertOf as insertOfSightings, insertSightings, SIGHTING, sightingRow } from './clone-store.ts'
import type { ComparedSession, DeviceSession, FoundSession } from './device-session.ts'

/** Which sessions of a device to read. */
export interface Beside {
  readonly previous: DeviceSessionId | undefined
  readonly at: Date
}

export interface HolderOfSessions {
  readonly device: Device
  /** In no order. */
  readonly sessions: readonly ComparedSession[]
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

/** A session, and what was seen when it was opened. */
interface Opening {
  readonly session: DeviceSession
  readonly sighting?: Sighting
}

interface Stored {
  readonly session_id: string
  readonly recorded?: boolean
}

const SESSION = {
  session_id: 'text',
  device_id: 'text',
  chain_id: 'text',
  previous_id: 'text',
  nonce_hash: 'bytea',
  request_hash: 'bytea',
  macaroon_id: 'bytea',
  store: 'text',
  opened_at: 'bigint',
  expires_at: 'bigint',
  address: 'text',
  user_agent: 'text',
} as const
const SEEN = { session_id: 'text', ...SIGHTING } as const
const COLUMNS = sql.join(Object.keys(SESSION).map((column) => sql.ref(column)))

/**
 * Primary key of the device, then the unique index device_session_nonce_hash_key. In one order everywhere, so that two
 * of these with the same nonces cannot wait for each other.
 */
const insertOf = (
  query: Database['query'],
  sessions: string,
) => sql<Stored>`insert into ${sql.table('device_session')} (${COLUMNS})
  select ${COLUMNS} from ${listed(query, 'opened', SESSION, sessions)}
  where (select status from device where id = opened.device_id and quarantined_at is null) = 'active'
  order by nonce_hash
  on conflict (nonce_hash) do nothing
  returning session_id`

const insertSessions = compiledOnce((query, { sessions }: { sessions: string }) => insertOf(query, sessions))

/**
 * With those sightings whose session is stored. Fails if two are of one row: then each session is stored alone. Whether
 * a sighting was recorded is asked of rows that `natural join` finds by the primary key of clone_evidence.
 */
const insertSeen = compiledOnce(
  (query, given: { sessions: string; sightings: string }) =>
    sql<Stored>`with opened as (${insertOf(query, given.sessions)}), sighting as (
        select * from ${listed(query, 'seen', SEEN, given.sightings)}
        where session_id in (select session_id from opened)
      ), recorded as (${insertOfSightings(sql.table('sighting'))} returning device_id, kind, subject)
      select session_id, exists (
        select from sighting natural join recorded where sighting.session_id = opened.session_id
      ) as recorded from opened`,
)

/** `true`: with its sighting. `false`: without. Undefined: not stored. */
async function addAll(
  query: Database['query'],
  openings: readonly Opening[],
): Promise<readonly (boolean | undefined)[]> {
  const sessions = listOf(
    SESSION,
    openings.map(({ session }) => rowOf(session)),
  )
  const seen = openings.flatMap(({ session, sighting }) => {
    const { id, deviceId, openedAt: at } = session
    return sighting ? [{ session_id: id, ...sightingRow({ ...sighting, deviceId, at }) }] : []
  })
  const stored = new Map(
    (await addBoth(query, sessions, seen)).map(({ session_id, recorded = false }) => [session_id, recorded]),
  )
  return openings.map(({ session }) => stored.get(session.id))
}

function addBoth(
  query: Database['query'],
  sessions: string,
  seen: readonly Record<keyof typeof SEEN, string | number>[],
): Promise<readonly Stored[]> {
  const add = async (on: Database['query']) => (await insertSessions(on, { sessions })).rows
  if (seen.length === 0) return add(query)
  const sightings = (of = seen) => listOf(SEEN, of)
  if (insertsInWith(query)) {
    return insertSeen(query, { sessions, sightings: sightings() }).then(({ rows }) => rows)
  }
  return inTransaction(query, async (transaction) => {
    const rows = await add(transaction)
    const recorded: Stored[] = []
    for (const { session_id } of rows) {
      const one = seen.filter((sighting) => sighting.session_id === session_id)
      const done = one.length > 0 && (await insertSightings(transaction, { list: listOf(SEEN, one) }))
      recorded.push({ session_id, recorded: done && anyRowChanged(done) })
    }
    return recorded
  })
}

/** A device to find, and which of its sessions. */
const ASKED = {
  place: 'bigint',
  brand_id: 'text',
  model: 'text',
  serial: 'text',
  previous: 'text',
  at: 'bigint',
} as const

const COMPARED = ['session_id', 'chain_id', 'store', 'opened_at', 'expires_at', 'address', 'user_agent']

/**
 * The unique index device_brand_id_model_serial_key; then device_session's primary key, device_session_chain and
 * device_session_device. A program that holds the key of a device may open many sessions: those that matter are found
 * once, each in a subquery of its own, and not for each of them.
 */
const selectHolders = compiledOnce((query, { list }: { list: string }) => {
  const newest = sql`order by opened_at desc, session_id desc limit 1`
  const session = sql`select ${jsonOf(query, COMPARED)} from ${sql.table('device_session')} where device_id = device.id`
  const wanted = sql`device.brand_id = asked.brand_id and device.model = asked.model
    and device.serial = asked.serial and device.status in ('active', 'revoked')`
  return sql<HolderRow>`select device.*, asked.place,
      (${session} and session_id = asked.previous) as previous_session,
      (${session} and chain_id = (
        select chain_id from device_session where session_id = asked.previous
      ) ${newest}) as head,
      (${session} and chain_id = (
        select max(chain_id) from device_session where device_id = device.id
      ) ${newest}) as head_of_newest,
      (${session} and expires_at > asked.at ${newest}) as newest
    from ${listed(query, 'asked', ASKED, list)} ${joinOne(query, 'device', wanted)}`
})

interface HolderRow extends DeviceTable {
  readonly place: number
  readonly previous_session: string | null
  readonly head: string | null
  readonly head_of_newest: string | null
  readonly newest: string | null
}

interface Asked extends Beside {
  readonly name: SerialName
}

async function findHolders(
  query: Database['query'],
  asked: readonly Asked[],
): Promise<readonly (HolderOfSessions | undefined)[]> {
  const list = listOf(
    ASKED,
    asked.map(({ name, previous = null, at }, place) => ({
      ...{ place, brand_id: name.brandId, model: name.model, serial: name.serial },
      ...{ previous, at: toInstant(at) },
    })),
  )
  const found = new Map<number, HolderOfSessions>()
  for (const row of (await selectHolders(query, { list })).rows) {
    const { place, previous_session, head, head_of_newest, newest } = row
    // One session may be several of these.
    const texts = new Set([previous_session, head, head_of_newest, newest])
    const sessions = [...texts].flatMap((text) => (text === null ? [] : [comparedOf(text)]))
    found.set(place, { device: deviceOf(row), sessions })
  }
  return asked.map((_, place) => found.get(place))
}

type Compared = [DeviceSessionId, DeviceSessionId, string | null, number, number, string, string]

function comparedOf(text: string): ComparedSession {
  // Made of these columns.
  const [id, chainId, store, openedAt, expiresAt, address, userAgent]: Compared = JSON.parse(text)
  const caller = { address, userAgent }
  return { id, chainId, store, openedAt: fromInstant(openedAt), expiresAt: fromInstant(expiresAt), caller }
}

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

  const findHolder = inBatches((asked: readonly Asked[]) => findHolders(query, asked))
  const add = inBatches((openings: readonly Opening[]) => addAll(query, openings))

  return {
    add: async (session) => (await add({ session })) !== undefined,

    async addSeen(session, sighting) {
      const recorded = await add({ session, sighting })
      return recorded === undefined ? undefined : { recorded }
    },

    async find(id) {
      const [row] = (await selectById(query, { id })).rows
      return row && foundOf(row)
    },

    async findByNonce(nonceHash) {
      const [row] = (await selectByNonce(query, { nonceHash })).rows
      return row && foundOf(row)
    },

    findHolder: (name, beside) => findHolder({ name, ...beside }),

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

const foundOf = (row: DeviceSessionTable & DeviceTable): FoundSession => ({
  session: sessionOf(row),
  device: deviceOf(row),
})
