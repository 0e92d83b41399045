/** The register as an operator searches it, page by page. */
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { FleetDevice, FleetPosition, FleetQuery } from './fleet-filter.ts'
import type { SearchFleet } from './fleet-store.ts'

/** Few enough that the first page is there at once. */
const PAGE = 1000

/**
 * Gives `take` the devices of the query, some at a time: a million need the memory of one page. Returns the `after` of
 * what follows them; undefined if nothing does. A device that changes meanwhile appears as it was or as it is. Throws
 * `RequestError` `invalid-field` if the device that they come after is no longer there.
 */
export function searchFleet(
  query: FleetQuery,
  { fleet }: Stores,
  take: (devices: readonly FleetDevice[]) => Promise<void>,
): Promise<FleetPosition | undefined> {
  return fleet.searching(async (search) => {
    // Each page in the order of sessions reads the last session of every device.
    const most = query.order === 'session' ? query.limit : PAGE
    let { after } = query
    for (let left = query.limit; left > 0; ) {
      const limit = Math.min(left, most)
      const { devices, next } = await pageOf({ ...query, after, limit }, search)
      await take(devices)
      if (!next) return undefined
      after = next
      left -= limit
    }
    return after
  })
}

async function pageOf(
  query: FleetQuery,
  search: SearchFleet,
): Promise<{ readonly devices: readonly FleetDevice[]; readonly next: FleetPosition | undefined }> {
  // One more shows whether there is another page.
  const rows = await search({ ...query, limit: query.limit + 1 })
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
