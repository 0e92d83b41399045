/** Shows a model with all that belongs to it. */
import { RequestError } from '../../errors.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { type SignerDeps, signerFor } from '../keys/signer-for.ts'
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
  return {
    ...model,
    revision: assertion.revision,
    store: assertion.fields.store,
    serialAuthority: assertion.fields.serialAuthority,
    signer: await signerOrFault(name, deps),
    remodels: await deps.models.remodelsFrom(name),
    apiKeys: await deps.apiKeys.list(name),
  }
}

async function signerOrFault(name: ModelName, deps: SignerDeps): Promise<ModelDetails['signer']> {
  try {
    const { authorityId, key } = await signerFor(name, deps)
    return { authorityId, keyId: key.publicKey.id }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return { fault: error.message }
  }
}
