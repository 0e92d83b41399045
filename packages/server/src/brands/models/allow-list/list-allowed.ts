/** Lists the devices that a model with the registration `allow-list` lets in. */
import { findModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import type { ModelStore } from '../model-store.ts'
import type { AllowListEntry, AllowListStore } from './allow-list-store.ts'

interface ListDeps {
  readonly models: Pick<ModelStore, 'find'>
  readonly allowList: Pick<AllowListStore, 'list'>
}

/** Entries by serial number and key, those without a serial number first. Throws `invalid-field` for no such model. */
export async function* listAllowed(model: ModelName, deps: ListDeps): AsyncGenerator<AllowListEntry> {
  await findModel(model, deps)
  const limit = 1000
  for (let after: AllowListEntry | undefined; ; ) {
    const page = await deps.allowList.list(model, { after, limit })
    yield* page
    after = page.at(-1)
    if (page.length < limit) return
  }
}
