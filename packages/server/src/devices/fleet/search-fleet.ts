/** The register as an operator searches it, page by page. */
import { invalidField } from '../../errors.ts'
import type { FleetDevice, FleetPosition, FleetQuery } from './fleet-filter.ts'
import type { FleetStore } from './fleet-store.ts'

export interface FleetPage {
  readonly devices: readonly FleetDevice[]
  /** The `after` of the next page; undefined after the last. */
  readonly next: FleetPosition | undefined
}

/** Throws `RequestError` `invalid-field` if the device that the page comes after is no longer there. */
export async function searchFleet(
  query: FleetQuery,
  { fleet }: { readonly fleet: Pick<FleetStore, 'search'> },
): Promise<FleetPage> {
  // One more shows whether there is another page.
  const rows = await fleet.search({ ...query, limit: query.limit + 1 })
  if (!rows) {
    throw invalidField(
      `The device ${query.after?.id} is not in the register, so nothing comes after it. Begin with the first page.`,
    )
  }
  const devices = rows.slice(0, query.limit)
  const last = devices.at(-1)
  if (rows.length <= query.limit || !last) return { devices, next: undefined }
  const { device, lastSession } = last
  const next = query.order === 'session' ? { lastSessionAt: lastSession?.at ?? null } : {}
  return { devices, next: { id: device.id, ...next } }
}
