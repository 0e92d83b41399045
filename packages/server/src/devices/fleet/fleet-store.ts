/** Searches the register for an operator: whole tables are read where no index helps, and never for a request. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { byteOrder, type Database, fromInstant, type Schema, toInstant } from '../../database/index.ts'
import type { CloneEvidenceKind } from '../clones/clone-evidence.ts'
import { deviceOf, filtered } from '../device-store.ts'
import type { EvidenceSummary, FleetDevice, FleetFilter, FleetOrder, FleetQuery } from './fleet-filter.ts'

/** Undefined when the order needs the device that the page comes after, and it is not in the register. */
export type SearchFleet = (query: FleetQuery) => Promise<readonly FleetDevice[] | undefined>

export interface FleetStore {
  /** Runs `work`, which searches as often as it likes, on one connection. */
  searching<T>(work: (search: SearchFleet) => Promise<T>): Promise<T>
  /** Devices that have evidence of a clone, by its kind. */
  countEvidence(): Promise<ReadonlyMap<string, number>>
  countQuarantined(): Promise<number>
}

declare module '../../stores.ts' {
  interface Stores {
    readonly fleet: FleetStore
  }
}

type Query = Kysely<Schema>

/** Few enough for the parameters of one statement on every database. */
const IDS_AT_ONCE = 1000

/** Takes no notice of the time limits of requests: reading the last session of a million devices takes seconds. */
export function fleetStore({ query, unhurried }: Pick<Database, 'query' | 'unhurried'>): FleetStore {
  return {
    searching: (work) => unhurried((patient) => work((wanted) => search(patient, wanted))),

    async countEvidence() {
      // The primary key begins with the device; few devices have evidence.
      const rows = await query
        .selectFrom('clone_evidence')
        .select(['kind', (select) => select.fn.count<number>('device_id').distinct().as('devices')])
        .groupBy('kind')
        .execute()
      return new Map(rows.map(({ kind, devices }) => [kind, Number(devices)]))
    },

    async countQuarantined() {
      // Index device_quarantined.
      const { count } = await query
        .selectFrom('device')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('quarantined_at', 'is not', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

async function search(query: Query, wanted: FleetQuery): Promise<readonly FleetDevice[] | undefined> {
  const { filter, order, reverse, after, limit } = wanted
  const key = sortKey(query, order)
  const descending = (order === 'serial') === reverse
  let select = fleetFiltered(devices(query, filter), filter, query)
  if (after) {
    const behind = await positionOf(query, wanted)
    if (behind === undefined) return undefined
    const than = sql.raw(descending ? '<' : '>')
    select = select.where(
      key
        ? sql<boolean>`(${key}, id) ${than} (${behind}, ${after.id})`
        : sql<boolean>`id ${than} ${after.id}`,
    )
  }
  const direction = descending ? 'desc' : 'asc'
  if (key) select = select.orderBy(key, direction)
  const rows = await select
    .orderBy('id', direction)
    .limit(limit)
    .selectAll()
    .$if(wanted.withLastSession || order === 'session', (some) =>
      some.select([
        lastSession(query).as('seen_at'),
        // Index device_session_device.
        (from) =>
          from
            .selectFrom('device_session')
            .select('device_session.address')
            .whereRef('device_session.device_id', '=', 'device.id')
            .whereRef('device_session.bucket', '=', 'device.bucket')
            .orderBy('opened_at', 'desc')
            .orderBy('session_id', 'desc')
            .limit(1)
            .as('seen_from'),
      ]),
    )
    .execute()
  const evidence = wanted.withEvidence
    ? await evidenceOf(
        query,
        rows.map(({ id }) => id),
      )
    : undefined
  return rows.map((row) => ({
    device: deviceOf(row),
    lastSession:
      row.seen_at === undefined
        ? undefined
        : { at: fromInstant(row.seen_at), address: row.seen_from || null },
    evidence: evidence?.get(row.id),
  }))
}

/** Few devices are in quarantine: reads them all by their index, which a planner without statistics would not choose. */
const devices = (query: Query, { quarantined }: FleetFilter) =>
  quarantined
    ? query
        .with(
          (name) => name('quarantined').materialized(),
          (table) => table.selectFrom('device').selectAll().where('quarantined_at', 'is not', null),
        )
        .selectFrom('quarantined as device')
    : query.selectFrom('device')

/** By what devices are sorted before their ids; undefined: by their ids alone, which are in the order of entry. */
function sortKey(query: Query, order: FleetOrder): RawBuilder<unknown> | undefined {
  switch (order) {
    case 'entered':
      return undefined
    case 'registered':
      // Index device_registered.
      return sql`${sql.ref('device.registered_at')}`
    case 'serial':
      // Index device_serial_bytes.
      return byteOrder(query, 'device.serial')
    case 'session':
      return sql`coalesce(${lastSession(query)}, 0)`
  }
}

/** The sort key of the device that a page comes after. */
async function positionOf(
  query: Query,
  { order, after }: FleetQuery,
): Promise<RawBuilder<unknown> | undefined> {
  if (!after) return undefined
  if (order === 'entered') return sql`${after.id}`
  if (order === 'session') return sql`${after.lastSessionAt ? toInstant(after.lastSessionAt) : 0}`
  // Primary key.
  const row = await query
    .selectFrom('device')
    .select(['registered_at', 'serial'])
    .where('id', '=', after.id)
    .executeTakeFirst()
  return row && sql`${order === 'serial' ? row.serial : row.registered_at}`
}

/** When the device last opened a session. Index device_session_device for each, whose newest entry is read. */
const lastSession = (query: Query): RawBuilder<number | null> =>
  sql<number | null>`coalesce(${query
    .selectFrom('device_session')
    .select((select) => select.fn.max('opened_at').as('opened_at'))
    .where(
      sql<boolean>`device_session.device_id = device.id and device_session.bucket = device.bucket`,
    )}, ${sql.ref('device.last_session_at')})`

/** The devices that fit the filter. */
export function fleetFiltered<Row>(
  select: SelectQueryBuilder<Schema, 'device', Row>,
  filter: FleetFilter,
  query: Query,
): SelectQueryBuilder<Schema, 'device', Row> {
  const { serialPrefix, keyPrefix, address, evidence, hadSession, quarantined } = filter
  let fitting = filtered(select, filter)
  if (quarantined !== undefined) {
    fitting = fitting.where('quarantined_at', quarantined ? 'is not' : 'is', null)
  }
  // Index device_serial_bytes; for keys the whole table.
  if (serialPrefix !== undefined) fitting = fitting.where(startsWith(query, 'device.serial', serialPrefix))
  if (keyPrefix !== undefined) fitting = fitting.where(startsWith(query, 'device.device_key_id', keyPrefix))
  const ranges = [
    [sql<number>`${sql.ref('device.registered_at')}`, filter.registeredSince, filter.registeredBefore],
    [lastSession(query), filter.sessionSince, filter.sessionBefore],
  ] as const
  for (const [column, since, before] of ranges) {
    if (since) fitting = fitting.where(sql<boolean>`${column} >= ${toInstant(since)}`)
    if (before) fitting = fitting.where(sql<boolean>`${column} < ${toInstant(before)}`)
  }
  if (hadSession !== undefined) {
    fitting = fitting.where(
      sql<boolean>`${lastSession(query)} is ${sql.raw(hadSession ? 'not null' : 'null')}`,
    )
  }
  if (address !== undefined) {
    // The two tables, once: an index would cost every session something.
    fitting = fitting.where(
      sql<boolean>`(device.id, device.bucket) in (
        select device_id, bucket from device_session where address = ${address}
        union select device_id, bucket from device_registration where address = ${address})`,
    )
  }
  if (evidence !== undefined) {
    const kind = evidence === 'any' ? sql`` : sql`where kind = ${evidence}`
    fitting = fitting.where(
      sql<boolean>`(device.id, device.bucket) in (select device_id, bucket from clone_evidence ${kind})`,
    )
  }
  return fitting
}

/** Greater than what follows the prefix in any text that we store: no assertion contains a noncharacter. */
const LAST = '\u{10ffff}'

const startsWith = (query: Query, column: string, prefix: string): RawBuilder<boolean> =>
  sql<boolean>`${byteOrder(query, column)} >= ${prefix} and ${byteOrder(query, column)} < ${prefix + LAST}`

async function evidenceOf(
  query: Query,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EvidenceSummary>> {
  const summaries = new Map<string, EvidenceSummary>()
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    // The primary key begins with the device.
    const rows = await query
      .selectFrom('clone_evidence')
      .select(['device_id', 'kind', 'times', 'last_seen_at'])
      .where('device_id', 'in', ids.slice(start, start + IDS_AT_ONCE))
      .orderBy('kind')
      .execute()
    for (const [id, some] of Map.groupBy(rows, ({ device_id }) => device_id)) {
      summaries.set(id, {
        // Only sightings and checked imports fill the column.
        kinds: [...new Set(some.map(({ kind }) => kind as CloneEvidenceKind))],
        times: some.reduce((sum, { times }) => sum + times, 0),
        lastSeenAt: fromInstant(Math.max(...some.map(({ last_seen_at }) => last_seen_at))),
      })
    }
  }
  return summaries
}
