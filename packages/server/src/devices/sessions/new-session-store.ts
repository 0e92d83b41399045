/** Stores sessions that arrive at the same moment together, with the sightings made when they were opened. */
import { type RawBuilder, sql } from 'kysely'
import { oneBucket } from '../../bucket.ts'
import {
  compiledOnce,
  type Database,
  type DeviceSessionTable,
  insertsInWith,
  inTransaction,
  listed,
  listOf,
  toInstant,
} from '../../database/index.ts'
import { markEvidenceOf } from '../activity/activity-store.ts'
import type { Sighting } from '../clones/clone-evidence.ts'
import {
  insertOf as insertOfSightings,
  recordSighting,
  SIGHTING,
  type SightingOf,
  sightingRow,
} from '../clones/clone-store.ts'
import type { DeviceSession } from './device-session.ts'

/** A session, and the sighting made when it was opened. */
export interface Opening {
  readonly session: DeviceSession
  readonly sighting?: Sighting
}

interface Stored {
  readonly session_id: string
  readonly recorded?: boolean
}

const SESSION = {
  session_id: 'text',
  bucket: 'bigint',
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
 * Uses the device's primary key, then the unique index device_session_nonce_hash_bucket_key. The order is the
 * same everywhere, so that two callers with the same nonces don't deadlock.
 */
const insertOf = (query: Database['query'], sessions: string, bucket: RawBuilder<unknown>) =>
  sql<Stored>`insert into ${sql.table('device_session')} (${COLUMNS})
  select ${COLUMNS} from ${listed(query, 'opened', SESSION, sessions)}
  where (select status from device
    where id = opened.device_id and device.bucket = ${bucket} and quarantined_at is null) = 'active'
  order by nonce_hash
  on conflict (nonce_hash, bucket) do nothing
  returning session_id`

const insertSessions = compiledOnce((query, { sessions }: { sessions: string }) =>
  insertOf(query, sessions, sql.ref('opened.bucket')),
)
const insertSessionsIn = compiledOnce((query, given: { sessions: string; bucket: number }) =>
  insertOf(query, given.sessions, sql`${given.bucket}`),
)

/**
 * Stores sessions, and the sightings of those that were stored. Fails if two sightings are for the same row;
 * each session is then stored alone. Finds out whether a sighting was recorded with a `natural join`, which
 * uses the primary key of clone_evidence.
 */
const insertSeenOf = (
  query: Database['query'],
  given: { sessions: string; sightings: string },
  buckets: Readonly<Record<'opened' | 'sighting' | 'evident', RawBuilder<unknown>>>,
) =>
  sql<Stored>`with opened as (${insertOf(query, given.sessions, buckets.opened)}), sighting as (
      select * from ${listed(query, 'seen', SEEN, given.sightings)}
      where session_id in (select session_id from opened)
    ), recorded as (
      ${insertOfSightings(sql.table('sighting'), buckets.sighting)} returning device_id, kind, subject
    ), evident as (
      select device_id, bucket, last_seen_at from sighting natural join recorded
    ), marked as (${markEvidenceOf(sql.table('evident'), buckets.evident)})
    select session_id, exists (
      select from sighting natural join recorded where sighting.session_id = opened.session_id
    ) as recorded from opened`

const insertSeen = compiledOnce((query, given: { sessions: string; sightings: string }) =>
  insertSeenOf(
    query,
    given,
    bucketsOf((table) => sql.ref(`${table}.bucket`)),
  ),
)
const insertSeenIn = compiledOnce((query, given: { sessions: string; sightings: string; bucket: number }) =>
  insertSeenOf(
    query,
    given,
    bucketsOf(() => sql`${given.bucket}`),
  ),
)

const bucketsOf = (of: (table: string) => RawBuilder<unknown>) => ({
  opened: of('opened'),
  sighting: of('sighting'),
  evident: of('evident'),
})

/** Returns for each opening whether its sighting was recorded; undefined if the session isn't stored. */
export async function addSessions(
  query: Database['query'],
  openings: readonly Opening[],
): Promise<readonly (boolean | undefined)[]> {
  const sessions = listOf(
    SESSION,
    openings.map(({ session }) => rowOf(session)),
  )
  const seen = openings.flatMap(({ session, sighting }) => {
    const { id, deviceId, bucket, openedAt: at } = session
    return sighting ? [{ sessionId: id, sighting: { ...sighting, deviceId, bucket, at } }] : []
  })
  const bucket = oneBucket(openings.map(({ session }) => session.bucket))
  const stored = new Map(
    (await addBoth(query, sessions, seen, bucket)).map(({ session_id, recorded = false }) => [
      session_id,
      recorded,
    ]),
  )
  return openings.map(({ session }) => stored.get(session.id))
}

function addBoth(
  query: Database['query'],
  sessions: string,
  seen: readonly { readonly sessionId: string; readonly sighting: SightingOf }[],
  bucket: number | undefined,
): Promise<readonly Stored[]> {
  const add = async (on: Database['query']) =>
    (
      await (bucket === undefined
        ? insertSessions(on, { sessions })
        : insertSessionsIn(on, { sessions, bucket }))
    ).rows
  if (seen.length === 0) return add(query)
  if (insertsInWith(query)) {
    const rows = seen.map(({ sessionId, sighting }) => ({ session_id: sessionId, ...sightingRow(sighting) }))
    const given = { sessions, sightings: listOf(SEEN, rows) }
    const inserted =
      bucket === undefined ? insertSeen(query, given) : insertSeenIn(query, { ...given, bucket })
    return inserted.then(({ rows }) => rows)
  }
  return inTransaction(query, async (transaction) => {
    const rows = await add(transaction)
    const recorded: Stored[] = []
    for (const { session_id } of rows) {
      const one = seen.find(({ sessionId }) => sessionId === session_id)
      recorded.push({
        session_id,
        recorded: one !== undefined && (await recordSighting(transaction, one.sighting)),
      })
    }
    return recorded
  })
}

const rowOf = (session: DeviceSession): DeviceSessionTable => ({
  session_id: session.id,
  bucket: session.bucket,
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
