/**
 * The devices that have serials: the table `serial_holder`. It makes serials unique, because the rows of
 * different device keys can be in different shards, and keeps the highest revision ever given under each.
 */
import type { DeviceId } from '@ratafia/api'
import { type RawBuilder, sql } from 'kysely'
import {
  compiledOnce,
  type Database,
  listed,
  listOf,
  type SerialHolderTable,
  type Values,
} from '../../database/index.ts'
import type { Device, DeviceRef, SerialName } from '../device.ts'

/** The use of a serial. */
interface GivenSerial {
  /** The active or revoked device with the serial; undefined while no device has it. */
  readonly holder: DeviceRef | undefined
  /** The highest revision of its assertions, including those of former holders. */
  readonly revision: number | undefined
}

/** Checks whether the device has its serial exclusively. */
export const hasSerial = ({ status }: Pick<Device, 'status'>): boolean =>
  status === 'active' || status === 'revoked'

type Holding = DeviceRef & SerialName & Pick<Device, 'revision'>

export interface SerialHolderStore {
  /** Returns undefined if the serial was never given. */
  find(name: SerialName): Promise<GivenSerial | undefined>
  /**
   * Gives the serial to the device. Returns false if another device has it, or if the revision must be `new`
   * and is not higher than all that were given.
   */
  claim(device: Holding, revision: 'new' | 'known'): Promise<boolean>
  /** Claims the serials of devices whose revisions are known. Returns the ids of the devices that now have theirs. */
  claimAll(devices: readonly Holding[]): Promise<ReadonlySet<DeviceId>>
  /** Keeps the revisions of devices that no longer have their serials. */
  keepRevisions(devices: readonly Holding[]): Promise<void>
  /** Frees the serial if this device has it. */
  release(device: DeviceRef & SerialName): Promise<void>
  /** Records a revision that was given to the holder. */
  raise(name: SerialName, revision: number): Promise<void>
}

const GIVEN = {
  brand_id: 'text',
  model: 'text',
  serial: 'text',
  bucket: 'bigint',
  device_id: 'text',
  revision: 'bigint',
} as const
const COLUMNS = sql.join(Object.keys(GIVEN).map((column) => sql.ref(column)))

type Row = Values & Record<keyof typeof GIVEN, string | number | null>

const HIGHER = sql`case when excluded.revision is null or serial_holder.revision > excluded.revision
  then serial_holder.revision else excluded.revision end`

/** Uses the primary key, in the same order everywhere, so that two callers don't deadlock. */
const claimOf = (rows: RawBuilder<unknown>, condition = sql``) => sql<{
  device_id: string
}>`insert into ${sql.table('serial_holder')} (${COLUMNS}) ${rows}
  on conflict (brand_id, model, serial) do update
    set bucket = excluded.bucket, device_id = excluded.device_id, revision = ${HIGHER}
    where serial_holder.device_id is null ${condition}
  returning device_id`

const oneRow = (row: Row) =>
  sql`values (${row.brand_id}, ${row.model}, ${row.serial}, ${row.bucket}, ${row.device_id}, ${row.revision})`
const someRows = (query: Database['query'], rows: readonly Row[]) =>
  sql`select ${COLUMNS} from ${listed(query, 'given', GIVEN, listOf(GIVEN, rows))} where true
    order by brand_id, model, serial`

const claimNew = compiledOnce((_query, row: Row) =>
  claimOf(
    oneRow(row),
    sql`and (serial_holder.revision is null or serial_holder.revision < excluded.revision)`,
  ),
)

/** Uses the primary key. */
const selectOne = compiledOnce((query, name: SerialName & Values) =>
  query
    .selectFrom('serial_holder')
    .selectAll()
    .where('brand_id', '=', name.brandId)
    .where('model', '=', name.model)
    .where('serial', '=', name.serial),
)

export function serialHolderStore({ query }: Pick<Database, 'query'>): SerialHolderStore {
  /** Updates a serial by its primary key. */
  const update = ({ brandId, model, serial }: SerialName, columns: Partial<SerialHolderTable>) =>
    query
      .updateTable('serial_holder')
      .set(columns)
      .where((where) => where.and({ brand_id: brandId, model, serial }))

  return {
    async find({ brandId, model, serial }) {
      const [row] = (await selectOne(query, { brandId, model, serial })).rows
      if (!row) return undefined
      const { device_id: id, bucket, revision } = row
      const holder = id === null || bucket === null ? undefined : { id: id as DeviceId, bucket }
      return { holder, revision: revision ?? undefined }
    },

    async claim(device, revision) {
      const row = rowOf(device)
      const claimed = revision === 'new' ? claimNew(query, row) : claimOf(oneRow(row)).execute(query)
      return (await claimed).rows.length > 0
    },

    async claimAll(devices) {
      // The first device that claims each serial.
      const first = new Map(devices.toReversed().map((device) => [nameOf(device), device]))
      if (first.size === 0) return new Set()
      const given = [...first.values()].map(rowOf)
      const { rows } = await claimOf(someRows(query, given)).execute(query)
      return new Set(rows.map(({ device_id }) => device_id as DeviceId))
    },

    async keepRevisions(devices) {
      const highest = new Map<string, Row>()
      for (const device of devices) {
        const row = { ...rowOf(device), bucket: null, device_id: null }
        const other = highest.get(nameOf(device))
        if (!other || Number(other.revision ?? -1) < Number(row.revision ?? -1))
          highest.set(nameOf(device), row)
      }
      if (highest.size === 0) return
      await sql`insert into ${sql.table('serial_holder')} (${COLUMNS}) ${someRows(query, [...highest.values()])}
        on conflict (brand_id, model, serial) do update set revision = ${HIGHER}`.execute(query)
    },

    async release(device) {
      await update(device, { bucket: null, device_id: null }).where('device_id', '=', device.id).execute()
    },

    async raise(name, revision) {
      await update(name, { revision })
        .where((where) => where.or([where('revision', 'is', null), where('revision', '<', revision)]))
        .execute()
    },
  }
}

const nameOf = ({ brandId, model, serial }: SerialName): string => `${brandId}/${model}/${serial}`

const rowOf = (device: Holding): Row => ({
  brand_id: device.brandId,
  model: device.model,
  serial: device.serial,
  bucket: device.bucket,
  device_id: device.id,
  revision: device.revision,
})
