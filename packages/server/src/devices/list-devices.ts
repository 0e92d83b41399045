/** The register, newest first, page by page. */
import type { DeviceId } from '@ratafia/api'
import type { Device } from './device.ts'
import type { DeviceFilter, DeviceStore } from './device-store.ts'

export interface DevicePage {
  readonly devices: readonly Device[]
  /** The `before` of the next page; undefined after the last. */
  readonly next: DeviceId | undefined
}

export async function listDevices(
  filter: DeviceFilter,
  { devices }: { readonly devices: DeviceStore },
): Promise<DevicePage> {
  // One more shows whether there is another page.
  const rows = await devices.list({ ...filter, limit: filter.limit + 1 })
  const page = rows.slice(0, filter.limit)
  return { devices: page, next: rows.length > filter.limit ? page.at(-1)?.id : undefined }
}
