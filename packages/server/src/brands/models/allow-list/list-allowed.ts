/** Lists the devices that can register as a model with the registration `allow-list`. */
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { type NamedModel, seenModel } from '../find-model.ts'
import type { AllowListEntry } from './allow-list-store.ts'

/**
 * Returns entries sorted by serial number and key, those without a serial number first. Throws as {@link
 * seenModel} does.
 */
export async function pageOfAllowed(
  { after, limit, ...named }: NamedModel & Paging<AllowListEntry>,
  stores: TransactionStores,
): Promise<Page<AllowListEntry>> {
  const model = await seenModel(named, stores)
  return pageOf(limit, (most) => stores.allowList.list(model, { after, limit: most }))
}

/** The entry as the API, `--json` and exports show it. */
export const allowListRecord = ({ serial, deviceKeyId }: AllowListEntry) => ({
  serial,
  device_key_id: deviceKeyId,
})
