/** Lists API keys, without their text. */
import { findModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import type { ModelStore } from '../model-store.ts'
import type { ApiKey } from './api-key.ts'
import type { ApiKeyStore } from './api-key-store.ts'

interface ListDeps {
  readonly models: Pick<ModelStore, 'find'>
  readonly apiKeys: Pick<ApiKeyStore, 'list'>
}

/** The keys of one model or of all. Throws `invalid-field` if there is no such model. */
export async function listApiKeys(model: ModelName | undefined, deps: ListDeps): Promise<readonly ApiKey[]> {
  if (model) await findModel(model, deps)
  return deps.apiKeys.list(model)
}
