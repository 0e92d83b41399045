/** The accounts that serials are signed for. */
import { refused } from './assertion-file.ts'
import type { BrandStore, StoredBrand } from './brand-store.ts'
import { listSigningKeys, type SigningKeyDescription } from './keys/signing-keys.ts'
import type { ModelDeps } from './models/find-model.ts'
import type { StoredModel } from './models/model-policy.ts'
import type { TrustDeps } from './trust/trust.ts'

export interface BrandDetails extends StoredBrand {
  readonly keys: readonly SigningKeyDescription[]
  readonly models: readonly StoredModel[]
}

interface BrandDeps extends TrustDeps, ModelDeps {
  readonly brands: BrandStore
}

/** By account id. */
export const listBrands = ({ brands }: BrandDeps): Promise<readonly StoredBrand[]> => brands.list()

/** Throws `invalid-field` when there is no such brand. */
export async function showBrand(accountId: string, deps: BrandDeps): Promise<BrandDetails> {
  const brand = await deps.brands.find(accountId)
  if (!brand) {
    throw refused(`There is no brand ${accountId.slice(0, 64)}. \`ratafia brands list\` shows them.`)
  }
  const models = (await deps.models.list()).filter((model) => model.brandId === accountId)
  return { ...brand, keys: await listSigningKeys(accountId, deps), models }
}
