/** Shows a brand with its keys and models. */
import { invalidField } from '../errors.ts'
import type { BrandDeps } from './brand-deps.ts'
import type { StoredBrand } from './brand-store.ts'
import { listSigningKeys, type SigningKeyDescription } from './keys/list-signing-keys.ts'
import type { StoredModel } from './models/model-policy.ts'

export interface BrandDetails extends StoredBrand {
  readonly keys: readonly SigningKeyDescription[]
  readonly models: readonly StoredModel[]
}

/** Throws `invalid-field` if there is no such brand. */
export async function showBrand(accountId: string, deps: BrandDeps): Promise<BrandDetails> {
  const brand = await deps.brands.find(accountId)
  if (!brand) {
    throw invalidField(`There is no brand ${accountId.slice(0, 64)}. \`ratafia brands list\` shows them.`)
  }
  const models = (await deps.models.list()).filter((model) => model.brandId === accountId)
  return { ...brand, keys: await listSigningKeys(accountId, deps), models }
}
