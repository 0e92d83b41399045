/** Lists the devices that a model with the registration `allow-list` lets in. */
import { type Page, type Paging, pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { type NamedModel, seenModel } from '../find-model.ts'
import type { AllowListEntry } from './allow-list-store.ts'

/** By serial number and key, those without a serial number first. Throws as {@link seenModel} does. */
export async function pageOfAllowed(
  { after, limit, ...named }: NamedModel & Paging<AllowListEntry>,
  stores: TransactionStores,
): Promise<Page<AllowListEntry>> {
  const model = await seenModel(named, stores)
  return pageOf(limit, (most) => stores.allowList.list(model, { after, limit: most }))
}

/** As the API, `--json` and exports show it. */
export const allowListRecord = ({ serial, deviceKeyId }: AllowListEntry) => ({
  serial,
  device_key_id: deviceKeyId,
})
