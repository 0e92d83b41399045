/**
 * Exports and imports whole rows of the register: the tables `device`, `serial_assertion` and
 * `clone_evidence`, a page at a time, so that a million of them need the memory of one page.
 */
import type { DeviceId } from '@ratafia/api'
import { sql } from 'kysely'
import {
  anyRowChanged,
  compiledOnce,
  type Database,
  type DeviceTable,
  insertMany,
  joinFew,
  listed,
  listOf,
  toInstant,
} from '../../database/index.ts'
import { markEvidence } from '../activity/activity-store.ts'
import type { CloneEvidence } from '../clones/clone-evidence.ts'
import { EVIDENCE_LIMIT, evidenceOf } from '../clones/clone-store.ts'
import type { Device, SerialAssertion } from '../device.ts'
import { type DeviceStore, deviceOf, deviceStore, rowOf } from '../device-store.ts'
import { assertionOf, assertionRow } from '../serials/serial-assertion-store.ts'
import { hasSerial, serialHolderStore } from '../serials/serial-holder-store.ts'

/** All data that the register keeps about a device, except registrations and sessions. */
export interface StoredDevice {
  readonly device: Device
  /** The serial-request of a pending or rejected device. */
  readonly request: Uint8Array | null
  /** Sorted by revision. */
  readonly assertions: readonly SerialAssertion[]
  /** Last seen first. */
  readonly evidence: readonly CloneEvidence[]
}

export interface DeviceTransferStore {
  /** Returns those that exist, newest first; accepts at most {@link TRANSFER_BATCH} ids. */
  byIds(ids: readonly DeviceId[]): Promise<readonly StoredDevice[]>
}

declare module '../../stores.ts' {
  interface Stores {
    readonly deviceTransfers: DeviceTransferStore
  }
}

/** The statements of an import, on a transaction; at most {@link TRANSFER_BATCH} items per call. */
export interface RegisterImport extends DeviceTransferStore {
  readonly devices: DeviceStore
  /** Returns devices with these serial numbers, of any model. */
  bySerials(serials: readonly string[]): Promise<readonly Device[]>
  /** Returns devices with these device keys, of any model. */
  byKeys(deviceKeyIds: readonly string[]): Promise<readonly Device[]>
  /**
   * Returns the ids of the devices that were added: the others have a serial or a key that is taken. The primary key
   * only detects a taken id in the same bucket, so check an id that is not new with {@link byIds}.
   */
  add(devices: readonly StoredDevice[]): Promise<ReadonlySet<DeviceId>>
  /** Stored revisions stay unchanged. Returns those whose text differs in the register. */
  addAssertions(assertions: readonly SerialAssertion[], at: Date): Promise<readonly SerialAssertion[]>
  /** Stored evidence stays unchanged; adds the rest within {@link EVIDENCE_LIMIT}. */
  addEvidence(evidence: readonly CloneEvidence[]): Promise<void>
}

/** Few enough for the parameters of one statement on every database. */
export const TRANSFER_BATCH = 1000

const ASKED = { value: 'text' } as const

/**
 * Selects rows, newest first. Avoids `in (…)`: PostgreSQL has no statistics for a table that was filled in
 * this transaction, expects a large part of it to match, and reads all of it for each batch.
 */
const selectHaving = (column: 'id' | 'serial' | 'device_key_id') =>
  compiledOnce(
    (query, { list }: { list: string }) =>
      sql<DeviceTable>`select device.* from ${listed(query, 'asked', ASKED, list)}
        ${joinFew(query, 'device', sql`device.${sql.ref(column)} = asked.value`)}
        order by device.id desc`,
  )

const HAVING = {
  // The primary key begins with the id.
  id: selectHaving('id'),
  // Uses the index device_serial.
  serial: selectHaving('serial'),
  // Uses the index device_key.
  device_key_id: selectHaving('device_key_id'),
}

export const deviceTransferStore = (database: Database): DeviceTransferStore => {
  const { byIds } = registerImport(database)
  return { byIds }
}

/** With `distributed`, look-ups have a form that every shard answers by itself. */
export function registerImport({
  query: transaction,
  distributed = false,
}: Pick<Database, 'query'> & Partial<Pick<Database, 'distributed'>>): RegisterImport {
  const rowsHaving = async (column: keyof typeof HAVING, values: readonly string[]) => {
    if (values.length === 0) return []
    if (distributed) {
      const found = transaction
        .selectFrom('device')
        .selectAll()
        .where(column, 'in', [...new Set(values)])
      return found.orderBy('id', 'desc').execute()
    }
    const asked = Array.from(new Set(values), (value) => ({ value }))
    return (await HAVING[column](transaction, { list: listOf(ASKED, asked) })).rows
  }
  const having = async (...asked: Parameters<typeof rowsHaving>) => (await rowsHaving(...asked)).map(deviceOf)
  const serials = serialHolderStore({ query: transaction })
  return {
    devices: deviceStore({ query: transaction }),

    async byIds(ids) {
      return stored(await rowsHaving('id', ids), { query: transaction })
    },

    bySerials: (serials) => having('serial', serials),
    byKeys: (deviceKeyIds) => having('device_key_id', deviceKeyIds),

    async add(all) {
      const devices = all.map(({ device }) => device)
      const claimed = await serials.claimAll(devices.filter(hasSerial))
      await serials.keepRevisions(devices.filter(({ status }) => status === 'superseded'))
      const rows = all
        .filter(({ device }) => !hasSerial(device) || claimed.has(device.id))
        .map(({ device, request }) => ({ ...rowOf(device), request }))
      if (rows.length === 0) return new Set()
      const added = await insertMany(transaction, 'device', rows)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute()
      return new Set(added.map(({ id }) => id as DeviceId))
    },

    async addAssertions(assertions, at) {
      const added = new Set<string>()
      for (let start = 0; start < assertions.length; start += TRANSFER_BATCH) {
        const batch = assertions.slice(start, start + TRANSFER_BATCH)
        const rows = await transaction
          .insertInto('serial_assertion')
          .values(batch.map((assertion) => assertionRow(assertion, at)))
          .onConflict((conflict) => conflict.doNothing())
          .returning(['device_id', 'revision'])
          .execute()
        for (const row of rows) added.add(`${row.device_id} ${row.revision}`)
      }
      const others: SerialAssertion[] = []
      for (const assertion of assertions) {
        if (added.has(`${assertion.deviceId} ${assertion.revision}`)) continue
        // Uses the index serial_assertion_device.
        const present = await transaction
          .selectFrom('serial_assertion')
          .select('encoded')
          .where((where) =>
            where.and({
              device_id: assertion.deviceId,
              bucket: assertion.bucket,
              revision: assertion.revision,
            }),
          )
          .executeTakeFirst()
        if (!present || Buffer.compare(present.encoded, assertion.encoded) !== 0) others.push(assertion)
      }
      return others
    },

    async addEvidence(evidence) {
      for (const one of evidence) {
        // The primary key begins with these columns.
        const { count } = await transaction
          .selectFrom('clone_evidence')
          .select((select) => select.fn.countAll<number>().as('count'))
          .where((where) => where.and({ device_id: one.deviceId, bucket: one.bucket, kind: one.kind }))
          .executeTakeFirstOrThrow()
        if (Number(count) >= EVIDENCE_LIMIT) continue
        const added = await transaction
          .insertInto('clone_evidence')
          .values({
            device_id: one.deviceId,
            bucket: one.bucket,
            kind: one.kind,
            subject: one.subject,
            first_seen_at: toInstant(one.firstSeenAt),
            last_seen_at: toInstant(one.lastSeenAt),
            times: one.times,
            details: JSON.stringify(one.details),
          })
          .onConflict((conflict) => conflict.columns(['device_id', 'kind', 'subject', 'bucket']).doNothing())
          .executeTakeFirst()
        const { deviceId, bucket, lastSeenAt: at } = one
        if (anyRowChanged(added)) await markEvidence(transaction, { deviceId, bucket, at })
      }
    },
  }
}

/** Returns the rows with their assertions and evidence. */
async function stored(
  rows: readonly DeviceTable[],
  { query }: Pick<Database, 'query'>,
): Promise<readonly StoredDevice[]> {
  const ids = rows.map(({ id }) => id)
  const buckets = [...new Set(rows.map(({ bucket }) => bucket))]
  // Uses the index serial_assertion_device.
  const assertions =
    ids.length === 0
      ? []
      : await query
          .selectFrom('serial_assertion')
          .selectAll()
          .where('device_id', 'in', ids)
          .where('bucket', 'in', buckets)
          .orderBy('revision')
          .execute()
  // The primary key begins with the device.
  const evidence =
    ids.length === 0
      ? []
      : await query
          .selectFrom('clone_evidence')
          .selectAll()
          .where('device_id', 'in', ids)
          .where('bucket', 'in', buckets)
          .orderBy('last_seen_at', 'desc')
          .orderBy('kind')
          .orderBy('subject')
          .execute()
  const assertionsOf = Map.groupBy(assertions.map(assertionOf), ({ deviceId }) => deviceId)
  const evidencesOf = Map.groupBy(evidence.map(evidenceOf), ({ deviceId }) => deviceId)
  return rows.map((row) => {
    const device = deviceOf(row)
    return {
      device,
      request: row.request,
      assertions: assertionsOf.get(device.id) ?? [],
      evidence: evidencesOf.get(device.id) ?? [],
    }
  })
}
