/** Changes what a model allows. */
import { checkPolicy } from './add-model.ts'
import { refused } from './assertion-file.ts'
import { findModel, type ModelDeps } from './find-model.ts'
import type { ModelName, ModelPolicy, StoredModel } from './model-policy.ts'

/** What is not named stays. Counts from the next registration on. Throws `invalid-field`. */
export async function setPolicy(
  name: ModelName,
  changes: Partial<ModelPolicy>,
  deps: ModelDeps,
): Promise<StoredModel> {
  const model = await findModel(name, deps)
  if (Object.keys(changes).length === 0) throw refused('Nothing is to be changed: name an option.')
  const policy = { ...model.policy, ...changes }
  checkPolicy(policy)
  await deps.models.setPolicy(name, policy)
  return { ...model, policy }
}
