/** Lists API keys, without their text. */
import type { BrandDeps } from '../../brand-deps.ts'
import { findModel } from '../find-model.ts'
import type { ModelName } from '../model-policy.ts'
import type { ApiKey } from './api-key.ts'

/** The keys of one model or of all. Throws `invalid-field` if there is no such model. */
export async function listApiKeys(
  model: ModelName | undefined,
  deps: Pick<BrandDeps, 'models' | 'apiKeys'>,
): Promise<readonly ApiKey[]> {
  if (model) await findModel(model, deps)
  return deps.apiKeys.list(model)
}
