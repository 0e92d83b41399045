/** Devices as a file, page by page: a million of them need the memory of one page. */
import { type Authority, brandsFor } from '../../authority.ts'
import type { ChangingBy, Details } from '../../change.ts'
import type { ListFilter, ListPosition, ListSort } from './list-filter.ts'
import { type ListDeps, type ListedDevice, listFleet } from './list-fleet.ts'

interface FleetExport {
  readonly authority: Authority
  readonly filter: ListFilter
  readonly sort: ListSort
  /** What was asked for, as the audit log has it. */
  readonly asked: Details
}

interface ExportDeps extends ListDeps {
  readonly changeBy: ChangingBy<object>
}

const PAGE = 1000

/**
 * Records in the audit log that somebody takes these devices away, before they get the first. Throws `RequestError`
 * `permission-denied`. The pages are of moments of their own: a device that changes meanwhile is as it was, or as it is.
 */
export async function exportFleet(
  { authority, filter, sort, asked }: FleetExport,
  { changeBy, ...deps }: ExportDeps,
): Promise<AsyncIterable<readonly ListedDevice[]>> {
  brandsFor(authority, 'devices:read')
  await changeBy(authority.author)(({ record }) =>
    record({ action: 'devices.export', subject: 'devices', details: asked }),
  )
  return pages({ authority, filter, sort, limit: PAGE }, deps)
}

async function* pages(
  listing: Pick<FleetExport, 'authority' | 'filter' | 'sort'> & { readonly limit: number },
  deps: ListDeps,
): AsyncGenerator<readonly ListedDevice[]> {
  for (let after: ListPosition | undefined; ; ) {
    const { devices, next } = await listFleet({ ...listing, after }, deps)
    yield devices
    if (!next) return
    after = next
  }
}
