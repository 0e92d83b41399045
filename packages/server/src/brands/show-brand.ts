/** Shows a brand with its keys and models. */
import { invalidField } from '../errors.ts'
import type { BrandStore, StoredBrand } from './brand-store.ts'
import { listSigningKeys, type SigningKeyDescription } from './keys/list-signing-keys.ts'
import type { StoredModel } from './models/model-policy.ts'
import type { ModelStore } from './models/model-store.ts'
import type { TrustDeps } from './trust/trust.ts'

export interface BrandDetails extends StoredBrand {
  readonly keys: readonly SigningKeyDescription[]
  readonly models: readonly StoredModel[]
}

interface ShowBrandDeps extends TrustDeps {
  readonly brands: Pick<BrandStore, 'find' | 'keys'>
  readonly models: Pick<ModelStore, 'list'>
}

/** Throws `invalid-field` if there is no such brand. */
export async function showBrand(accountId: string, deps: ShowBrandDeps): Promise<BrandDetails> {
  const brand = await deps.brands.find(accountId)
  if (!brand) {
    throw invalidField(`There is no brand ${accountId.slice(0, 64)}. \`ratafia brands list\` shows them.`)
  }
  const models = (await deps.models.list()).filter((model) => model.brandId === accountId)
  return { ...brand, keys: await listSigningKeys(accountId, deps), models }
}
