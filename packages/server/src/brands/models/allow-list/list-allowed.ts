/** Lists the devices that a model with the registration `allow-list` lets in. */
import type { BrandDeps } from '../../brand-deps.ts'
import { findModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import type { AllowListEntry } from './allow-list-store.ts'

/** Entries by serial number and key, those without a serial number first. Throws `invalid-field` for no such model. */
export async function* listAllowed(
  model: ModelName,
  deps: Pick<BrandDeps, 'models' | 'allowList'>,
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
