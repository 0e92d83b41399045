/** Finds the devices of simultaneous requests together, with the sessions that new ones are compared with. */
import type { DeviceSessionId } from '@ratafia/api'
import { type RawBuilder, sql } from 'kysely'
import { bucketOf, oneBucket } from '../../bucket.ts'
import {
  compiledOnce,
  type Database,
  type DeviceTable,
  fromInstant,
  joinOne,
  jsonOf,
  listed,
  listOf,
  toInstant,
} from '../../database/index.ts'
import type { Device, SerialName } from '../device.ts'
import { deviceOf } from '../device-store.ts'
import type { ComparedSession } from './device-session.ts'

/** Which sessions of a device to read. */
export interface Beside {
  readonly previous: DeviceSessionId | undefined
  readonly at: Date
}

export interface HolderOfSessions {
  readonly device: Device
  /** In no particular order. */
  readonly sessions: readonly ComparedSession[]
}

/** A device to find, and which of its sessions to read. */
export interface Asked extends Beside {
  readonly name: SerialName & Pick<Device, 'deviceKeyId'>
}

const ASKED = {
  place: 'bigint',
  bucket: 'bigint',
  brand_id: 'text',
  model: 'text',
  serial: 'text',
  device_key_id: 'text',
  previous: 'text',
  at: 'bigint',
} as const

const COMPARED = ['session_id', 'chain_id', 'store', 'opened_at', 'expires_at', 'address', 'user_agent']

/**
 * Uses the index device_key, then device_session's primary key, device_session_chain and device_session_device. A
 * program that has a device's key can open many sessions. Each relevant session is the first entry of an index, and no
 * others are read. The plus keeps SQLite from reading the sessions of all devices that have not expired.
 */
const holders = (query: Database['query'], list: string, bucket: RawBuilder<unknown>) => {
  const newest = sql`order by opened_at desc, session_id desc limit 1`
  const own = sql`device_id = device.id and device_session.bucket = ${bucket}`
  const session = sql`select ${jsonOf(query, COMPARED)} from ${sql.table('device_session')} where ${own}`
  const wanted = sql`device.bucket = ${bucket} and device.device_key_id = asked.device_key_id
    and device.brand_id = asked.brand_id and device.model = asked.model
    and device.serial = asked.serial and device.status in ('active', 'revoked')`
  return sql<HolderRow>`select device.*, asked.place,
      (${session} and session_id = asked.previous) as previous_session,
      (${session} and chain_id = (
        select chain_id from device_session
        where session_id = asked.previous and device_session.bucket = ${bucket}
      ) ${newest}) as head,
      (${session} and chain_id = (
        select chain_id from device_session where ${own} order by chain_id desc limit 1
      ) ${newest}) as head_of_newest,
      (${session} and +expires_at > asked.at ${newest}) as newest
    from ${listed(query, 'asked', ASKED, list)} ${joinOne(query, 'device', wanted)}`
}

const selectHolders = compiledOnce((query, { list }: { list: string }) =>
  holders(query, list, sql.ref('asked.bucket')),
)
const selectHoldersIn = compiledOnce((query, { list, bucket }: { list: string; bucket: number }) =>
  holders(query, list, sql`${bucket}`),
)

interface HolderRow extends DeviceTable {
  readonly place: number
  readonly previous_session: string | null
  readonly head: string | null
  readonly head_of_newest: string | null
  readonly newest: string | null
}

export async function findHolders(
  query: Database['query'],
  asked: readonly Asked[],
): Promise<readonly (HolderOfSessions | undefined)[]> {
  const list = listOf(
    ASKED,
    asked.map(({ name, previous = null, at }, place) => ({
      ...{ place, bucket: bucketOf(name.deviceKeyId), device_key_id: name.deviceKeyId },
      ...{ brand_id: name.brandId, model: name.model, serial: name.serial },
      ...{ previous, at: toInstant(at) },
    })),
  )
  const bucket = oneBucket(asked.map(({ name }) => bucketOf(name.deviceKeyId)))
  const { rows } = await (bucket === undefined
    ? selectHolders(query, { list })
    : selectHoldersIn(query, { list, bucket }))
  const found = new Map<number, HolderOfSessions>()
  for (const row of rows) {
    const { place, previous_session, head, head_of_newest, newest } = row
    // One session can have several of these roles.
    const texts = new Set([previous_session, head, head_of_newest, newest])
    const sessions = [...texts].flatMap((text) => (text === null ? [] : [comparedOf(text)]))
    found.set(place, { device: deviceOf(row), sessions })
  }
  return asked.map((_, place) => found.get(place))
}

type Compared = [DeviceSessionId, DeviceSessionId, string | null, number, number, string, string]

function comparedOf(text: string): ComparedSession {
  // The text was built from these columns.
  const [id, chainId, store, openedAt, expiresAt, address, userAgent]: Compared = JSON.parse(text)
  const caller = { address, userAgent }
  return { id, chainId, store, openedAt: fromInstant(openedAt), expiresAt: fromInstant(expiresAt), caller }
}
