/** Lists the devices that a model with the registration `allow-list` lets in. */
import { pageOf } from '../../../page.ts'
import type { TransactionStores } from '../../../stores.ts'
import { type NamedModel, seenModel } from '../find-model.ts'
import type { AllowListEntry } from './allow-list-store.ts'

interface Listing extends NamedModel {
  readonly after?: AllowListEntry | undefined
  readonly limit: number
}

/**
 * By serial number and key, those without a serial number first. `next` is where the page that follows begins. Throws as
 * {@link seenModel} does.
 */
export async function pageOfAllowed(
  { after, limit, ...named }: Listing,
  deps: TransactionStores,
): Promise<{ readonly entries: readonly AllowListEntry[]; readonly next: AllowListEntry | undefined }> {
  const model = await seenModel(named, deps)
  const { rows: entries, next } = await pageOf(limit, (most) =>
    deps.allowList.list(model, { after, limit: most }),
  )
  return { entries, next }
}

/** As the API, `--json` and exports show it. */
export const allowListRecord = ({ serial, deviceKeyId }: AllowListEntry) => ({
  serial,
  device_key_id: deviceKeyId,
})
