/** A device as the table `device` keeps it. */
import type { DeviceId } from '@ratafia/api'
import { type DeviceTable, fromInstant, toInstant } from '../database/index.ts'
import type { Device } from './device.ts'

/** Where it came from matters only while it waits. */
export const WAITS_NOWHERE = { waits_in_narrow: null, waits_in_middle: null, waits_in_wide: null }

/** Without what only a waiting device has, and what is not known of a device when it is stored. */
export function rowOf(
  device: Device,
): Omit<DeviceTable, 'request' | 'last_session_at' | keyof typeof WAITS_NOWHERE> {
  return {
    id: device.id,
    brand_id: device.brandId,
    model: device.model,
    serial: device.serial,
    device_key_id: device.deviceKeyId,
    status: device.status,
    revision: device.revision,
    origin: device.origin,
    original: device.original,
    registered_at: toInstant(device.registeredAt),
    decided_at: device.decidedAt && toInstant(device.decidedAt),
    decided_by: device.decidedBy,
    reason: device.reason,
    quarantined_at: device.quarantinedAt && toInstant(device.quarantinedAt),
    removed_at: device.removedAt ? toInstant(device.removedAt) : null,
  }
}

/** A row of an outer join: all of its columns are null if there is none. */
export type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

/** Undefined without one. */
export const optionalDevice = (row: Nullable<DeviceTable>): Device | undefined =>
  row.id === null ? undefined : deviceOf(row as DeviceTable)

export function deviceOf(row: DeviceTable): Device {
  return {
    // Only newDeviceId and checked imports fill the column.
    id: row.id as DeviceId,
    brandId: row.brand_id,
    model: row.model,
    serial: row.serial,
    deviceKeyId: row.device_key_id,
    status: row.status,
    revision: row.revision,
    origin: row.origin,
    original: row.original,
    registeredAt: fromInstant(row.registered_at),
    decidedAt: fromInstant(row.decided_at),
    decidedBy: row.decided_by,
    reason: row.reason,
    quarantinedAt: fromInstant(row.quarantined_at),
    ...(row.removed_at === null ? {} : { removedAt: fromInstant(row.removed_at) }),
  }
}
