/** Devices as a file, page by page: a million of them need the memory of one page. */
import { type Authority, brandsFor, isAtDatabase } from '../../authority.ts'
import type { Details } from '../../change.ts'
import { exportText } from '../../files/export-rows.ts'
import type { Stores } from '../../stores.ts'
import type { ListFilter, ListPosition, ListSort } from '../fleet/list-filter.ts'
import { listFleet } from '../fleet/list-fleet.ts'
import { LISTED_COLUMNS } from '../transfer/device-columns.ts'
import { listedRecord } from './device-records.ts'

interface FleetExport {
  readonly authority: Authority
  readonly filter: ListFilter
  readonly sort: ListSort
  readonly format: 'ndjson' | 'csv'
  /** The parameters, as the audit log has them. */
  readonly asked: Details
}

const PAGE = 1000

/**
 * Chunks of the file. Over HTTP, the audit log records the export before the caller gets the first. Throws
 * `RequestError` `permission-denied`. The pages are of moments of their own: a device that changes meanwhile is as it was,
 * or as it is.
 */
export async function exportFleet(
  { authority, filter, sort, format, asked }: FleetExport,
  deps: Stores,
): Promise<AsyncIterable<string>> {
  brandsFor(authority, 'devices:read')
  if (!isAtDatabase(authority)) {
    await deps.changeBy(authority.author)(({ record }) =>
      record({ action: 'devices.export', subject: 'devices', details: asked }),
    )
  }
  const pages = pagesOf({ authority, filter, sort, limit: PAGE }, deps)
  return exportText(pages, { format, columns: LISTED_COLUMNS })
}

async function* pagesOf(
  listing: Pick<FleetExport, 'authority' | 'filter' | 'sort'> & { readonly limit: number },
  deps: Stores,
): AsyncGenerator<readonly ReturnType<typeof listedRecord>[]> {
  for (let after: ListPosition | undefined; ; ) {
    const { devices, next } = await listFleet({ ...listing, after }, deps)
    yield devices.map(listedRecord)
    if (!next) return
    after = next
  }
}
