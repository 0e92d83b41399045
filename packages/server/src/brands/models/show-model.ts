/** Shows a model with all that belongs to it. */
import type { BrandDeps } from '../brand-deps.ts'
import { signerOrFault } from '../keys/signer-for.ts'
import type { ApiKey } from './api-keys/api-key.ts'
import { findModel, findModelAssertion } from './find-model.ts'
import { type ModelName, type StoredModel, showModelName } from './model-policy.ts'

export interface ModelDetails extends StoredModel {
  readonly revision: number
  readonly store: string | undefined
  readonly serialAuthority: readonly string[]
  /** The key that signs now, or why none can. */
  readonly signer: { readonly authorityId: string; readonly keyId: string } | { readonly fault: string }
  readonly remodels: readonly ModelName[]
  readonly apiKeys: readonly ApiKey[]
}

/** Throws `invalid-field` if there is no such model. */
export async function showModel(name: ModelName, deps: BrandDeps): Promise<ModelDetails> {
  const model = await findModel(name, deps)
  const assertion = await findModelAssertion(name, deps)
  if (!assertion) throw new TypeError(`the model ${showModelName(name)} has no assertion: a row is missing`)
  const signer = await signerOrFault(name, deps)
  return {
    ...model,
    revision: assertion.revision,
    store: assertion.fields.store,
    serialAuthority: assertion.fields.serialAuthority,
    signer: 'fault' in signer ? signer : { authorityId: signer.authorityId, keyId: signer.key.publicKey.id },
    remodels: await deps.models.remodelsFrom(name),
    apiKeys: await deps.apiKeys.list(name),
  }
}
