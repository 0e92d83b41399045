/** The devices that a model with the registration `allow-list` lets in. */

import { findModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import type { AllowListEntry, AllowListStore } from './allow-list-store.ts'
import type { AllowListDeps } from './import-allow-list.ts'

/** Entries by serial number and key, those without a serial number first. Throws `invalid-field` for no such model. */
export async function* listAllowed(
  model: ModelName,
  deps: Pick<AllowListDeps, 'allowList' | 'models'>,
): AsyncGenerator<AllowListEntry> {
  await findModel(model, deps)
  const limit = 1000
  for (let after: AllowListEntry | undefined; ; ) {
    const page = await deps.allowList.list(model, { after, limit })
    yield* page
    after = page.at(-1)
    if (page.length < limit) return
  }
}

/**
 * Whether the list has the device: its key, its serial number, or the two together. An entry that binds a serial
 * number to a key lets no other key have it; `serial` is null while the device has none, and then only a key counts.
 */
export const isAllowed = (
  device: { readonly model: ModelName; readonly serial: string | null; readonly deviceKeyId: string },
  { allowList }: { readonly allowList: Pick<AllowListStore, 'has'> },
): Promise<boolean> => allowList.has(device.model, device)
