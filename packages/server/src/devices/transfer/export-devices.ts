/** Exports the register as records, page by page: a million of them need the memory of one page. */
import type { DeviceId } from '@ratafia/api'
import type { Stores } from '../../stores.ts'
import { type DeviceRecord, recordOf } from './device-record.ts'
import type { TransferFilter } from './device-transfer-store.ts'

interface ExportOptions {
  readonly filter: TransferFilter
  readonly onProgress?: (done: number, total: number) => void
}

const PAGE = 500

/** In the order of registration. A device that changes meanwhile appears as it was or as it is. */
export async function* exportDevices(
  { filter, onProgress }: ExportOptions,
  { deviceTransfers }: Stores,
): AsyncGenerator<readonly DeviceRecord[]> {
  const total = onProgress ? await deviceTransfers.count(filter) : 0
  let done = 0
  for (let after: DeviceId | undefined; ; ) {
    const page = await deviceTransfers.page(filter, { after, limit: PAGE })
    yield page.map(recordOf)
    done += page.length
    onProgress?.(done, Math.max(done, total))
    after = page.at(-1)?.device.id
    if (page.length < PAGE) return
  }
}
