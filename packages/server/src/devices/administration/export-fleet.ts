/** Exports devices as a file, page by page: exporting a million devices needs the memory of one page. */
import { brandsFor, isAtDatabase } from '../../authority.ts'
import type { Details } from '../../change.ts'
import { exportText } from '../../files/export-rows.ts'
import type { Stores } from '../../stores.ts'
import type { ListPosition } from '../fleet/list-filter.ts'
import { type FleetListing, type ListedDevice, listFleet } from '../fleet/list-fleet.ts'
import { DEVICE_COLUMNS, LISTED_COLUMNS } from '../transfer/device-columns.ts'
import { recordOf } from '../transfer/device-record.ts'
import { listedRecord } from './device-records.ts'

interface FleetExport extends Omit<FleetListing, 'after' | 'limit'> {
  readonly format: 'ndjson' | 'csv'
  /** Whether to use the format that imports accept, instead of the fields that lists show. */
  readonly whole: boolean
  /** The parameters, as the audit log records them. */
  readonly asked: Details
}

const PAGE = 1000

/**
 * Returns the chunks of the file. Records the export in the audit log before the first chunk. Throws
 * `permission-denied`. Each page is read at its own moment: a device that changes meanwhile appears either before or
 * after the change.
 */
export async function exportFleet(
  { format, whole, asked, ...listing }: FleetExport,
  stores: Stores,
): Promise<AsyncIterable<string>> {
  const { authority } = listing
  brandsFor(authority, 'devices:read')
  if (!isAtDatabase(authority)) {
    await stores.changeBy(authority.author)(({ record }) =>
      record({ action: 'devices.export', subject: 'devices', details: asked }),
    )
  }
  const pages = pagesOf({ ...listing, limit: PAGE }, stores)
  return whole
    ? exportText(wholePages(pages, stores), { format, columns: DEVICE_COLUMNS })
    : exportText(listedPages(pages), { format, columns: LISTED_COLUMNS })
}

async function* pagesOf(
  listing: Omit<FleetListing, 'after'>,
  stores: Stores,
): AsyncGenerator<readonly ListedDevice[]> {
  for (let after: ListPosition | undefined; ; ) {
    const { devices, next } = await listFleet({ ...listing, after }, stores)
    yield devices
    if (!next) return
    after = next
  }
}

type Pages = AsyncIterable<readonly ListedDevice[]>

async function* listedPages(pages: Pages) {
  for await (const devices of pages) yield devices.map(listedRecord)
}

async function* wholePages(pages: Pages, { deviceTransfers }: Stores) {
  for await (const devices of pages) {
    const ids = devices.map(({ device }) => device.id)
    const found = new Map((await deviceTransfers.byIds(ids)).map((one) => [one.device.id, one]))
    yield ids.flatMap((id) => found.get(id) ?? []).map(recordOf)
  }
}
