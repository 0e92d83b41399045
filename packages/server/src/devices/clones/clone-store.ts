/** Evidence of clones: the table `clone_evidence`. */
import type { DeviceId } from '@ratafia/api'
import { type RawBuilder, sql } from 'kysely'
import {
  anyRowChanged,
  type CloneEvidenceTable,
  compiledOnce,
  type Database,
  fromInstant,
  insertsInWith,
  inTransaction,
  listed,
  listOf,
  toInstant,
  type Values,
} from '../../database/index.ts'
import { forgetEvidence, markEvidence, markEvidenceOf } from '../activity/activity-store.ts'
import type { DeviceRef } from '../device.ts'
import type { CloneEvidence, CloneEvidenceKind, Sighting } from './clone-evidence.ts'

/**
 * Rows per device and kind; with four kinds, 100 rows per device. The limit is per kind, so that strangers who request
 * a serial with one new key after another can't crowd out evidence about the holders of the device key.
 */
export const EVIDENCE_LIMIT = 25

/** A sighting with its device and time. */
export interface SightingOf extends Sighting {
  readonly deviceId: DeviceId
  readonly bucket: number
  readonly at: Date
}

export interface CloneStore {
  /**
   * Counts a repeated sighting and updates its details, or adds a new one. Returns false if the device
   * already has {@link EVIDENCE_LIMIT} rows of the kind and this would add another (concurrent calls can
   * exceed the limit slightly).
   */
  record(sighting: SightingOf): Promise<boolean>
  find(device: DeviceRef, kind: CloneEvidenceKind, subject: string): Promise<CloneEvidence | undefined>
  /** Last seen first. */
  evidenceOf(device: DeviceRef): Promise<readonly CloneEvidence[]>
  /** Accepts a few hundred devices at most; the order is undefined. */
  evidenceOfMany(devices: readonly DeviceRef[]): Promise<readonly CloneEvidence[]>
  /**
   * Removes at most `limit` rows last seen before that instant, and returns how many. Keeps evidence about
   * devices in quarantine: the operator has yet to decide about them.
   */
  removeOld(before: Date, limit: number): Promise<number>
  /** Returns how many devices have evidence, by kind. */
  countDevices(): Promise<ReadonlyMap<string, number>>
  countQuarantined(): Promise<number>
}

declare module '../../stores.ts' {
  interface TransactionStores {
    readonly clones: CloneStore
  }
}

/** The columns of a sighting that is not stored yet. */
export const SIGHTING = {
  device_id: 'text',
  bucket: 'bigint',
  kind: 'text',
  subject: 'text',
  last_seen_at: 'bigint',
  details: 'text',
} as const

export const sightingRow = (seen: SightingOf): Record<keyof typeof SIGHTING, string | number> => ({
  device_id: seen.deviceId,
  bucket: seen.bucket,
  kind: seen.kind,
  subject: seen.subject,
  last_seen_at: toInstant(seen.at),
  details: JSON.stringify(seen.details),
})

/**
 * Returns the statement that inserts or counts sightings. `sightings` is a source for `from`, named sighting;
 * `bucket` is the bucket of those devices. The primary key begins with the counted columns, and decides
 * between two concurrent inserts. The order is the same everywhere, so that they don't deadlock.
 */
export const insertOf = (
  sightings: RawBuilder<unknown>,
  bucket: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const counted = sql`select count(*) from clone_evidence as row
    where row.device_id = sighting.device_id and row.bucket = ${bucket} and row.kind = sighting.kind`
  return sql`insert into ${sql.table('clone_evidence')}
      (device_id, bucket, kind, subject, first_seen_at, last_seen_at, times, details)
    select device_id, bucket, kind, subject, last_seen_at, last_seen_at, 1, details from ${sightings}
    where (${counted}) < ${EVIDENCE_LIMIT} or (${counted} and row.subject = sighting.subject) > 0
    order by device_id, kind, subject
    on conflict (device_id, kind, subject, bucket) do update set
      times = clone_evidence.times + 1, last_seen_at = excluded.last_seen_at, details = excluded.details`
}

/** Stores a sighting and marks the device. Returns false if it already has {@link EVIDENCE_LIMIT} rows of the kind. */
export async function recordSighting(query: Database['query'], seen: SightingOf): Promise<boolean> {
  const given = { list: listOf(SIGHTING, [sightingRow(seen)]), bucket: seen.bucket }
  if (insertsInWith(query)) {
    const bucket = sql`${seen.bucket}`
    const { rows } = await sql`with evident as (
        ${insertOf(listed(query, 'sighting', SIGHTING, given.list), bucket)}
        returning device_id, bucket, last_seen_at
      ), marked as (${markEvidenceOf(sql.table('evident'), bucket)})
      select device_id from evident`.execute(query)
    return rows.length > 0
  }
  return inTransaction(query, async (transaction) => {
    if (!anyRowChanged(await insertListed(transaction, given))) return false
    await markEvidence(transaction, seen)
    return true
  })
}

const insertListed = compiledOnce((query, { list, bucket }: { list: string; bucket: number }) =>
  insertOf(listed(query, 'sighting', SIGHTING, list), sql`${bucket}`),
)

/** Uses the primary key. */
const selectOne = compiledOnce(
  (query, { id, bucket, kind, subject }: Pick<CloneEvidence, 'kind' | 'subject'> & DeviceRef & Values) =>
    query
      .selectFrom('clone_evidence')
      .selectAll()
      .where((where) => where.and({ device_id: id, bucket, kind, subject })),
)

export function cloneStore({ query }: Pick<Database, 'query'>): CloneStore {
  return {
    record: (sighting) => recordSighting(query, sighting),

    async find({ id, bucket }, kind, subject) {
      const [row] = (await selectOne(query, { id, bucket, kind, subject })).rows
      return row && evidenceOf(row)
    },

    async evidenceOf({ id, bucket }) {
      // The primary key begins with the device.
      const rows = await query
        .selectFrom('clone_evidence')
        .selectAll()
        .where((where) => where.and({ device_id: id, bucket }))
        .orderBy('last_seen_at', 'desc')
        .orderBy('kind')
        .orderBy('subject')
        .execute()
      return rows.map(evidenceOf)
    },

    async evidenceOfMany(devices) {
      if (devices.length === 0) return []
      // The primary key begins with the device.
      const rows = await query
        .selectFrom('clone_evidence')
        .selectAll()
        .where('device_id', 'in', [...new Set(devices.map(({ id }) => id))])
        .where('bucket', 'in', [...new Set(devices.map(({ bucket }) => bucket))])
        .execute()
      return rows.map(evidenceOf)
    },

    async countDevices() {
      // The primary key begins with the device; few devices have evidence.
      const rows = await query
        .selectFrom('clone_evidence')
        .select(['kind', (select) => select.fn.count<number>('device_id').distinct().as('devices')])
        .groupBy('kind')
        .execute()
      return new Map(rows.map(({ kind, devices }) => [kind, Number(devices)]))
    },

    async countQuarantined() {
      // Uses the index device_quarantined.
      const { count } = await query
        .selectFrom('device')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('quarantined_at', 'is not', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async removeOld(before, limit) {
      // Uses the index clone_evidence_last_seen, then the primary keys. Few devices are in quarantine.
      const old = query
        .selectFrom('clone_evidence')
        .innerJoin('device', (join) =>
          join
            .onRef('device.id', '=', 'clone_evidence.device_id')
            .onRef('device.bucket', '=', 'clone_evidence.bucket'),
        )
        .select(['device_id', 'kind', 'subject', 'clone_evidence.bucket'])
        .where('last_seen_at', '<', toInstant(before))
        .where('quarantined_at', 'is', null)
        .orderBy('last_seen_at')
        .limit(limit)
      return inTransaction(query, async (transaction) => {
        const removed = await transaction
          .deleteFrom('clone_evidence')
          .where(({ eb, refTuple }) =>
            eb(
              refTuple('device_id', 'kind', 'subject', 'bucket'),
              'in',
              old.$asTuple('device_id', 'kind', 'subject', 'bucket'),
            ),
          )
          .returning(['device_id', 'bucket'])
          .execute()
        await forgetEvidence(transaction, removed, before)
        return removed.length
      })
    },
  }
}

export function evidenceOf(row: CloneEvidenceTable): CloneEvidence {
  return {
    deviceId: row.device_id as DeviceId,
    bucket: row.bucket,
    // Only `record` and checked imports fill these columns.
    kind: row.kind as CloneEvidenceKind,
    details: JSON.parse(row.details),
    subject: row.subject,
    firstSeenAt: fromInstant(row.first_seen_at),
    lastSeenAt: fromInstant(row.last_seen_at),
    times: row.times,
  }
}
