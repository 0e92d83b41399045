/** Changes what a model allows. */
import type { Changing } from '../../change.ts'
import { refused } from '../assertion-file.ts'
import { checkPolicy } from './add-model.ts'
import { findModel, type ModelDeps } from './find-model.ts'
import { type ModelName, type ModelPolicy, type StoredModel, showModelName } from './model-policy.ts'
import type { ModelStore } from './model-store.ts'

/** What is not named stays. Counts from the next registration on. Throws `invalid-field`. */
export async function setPolicy(
  name: ModelName,
  changes: Partial<ModelPolicy>,
  deps: ModelDeps & { readonly change: Changing<{ readonly models: ModelStore }> },
): Promise<StoredModel> {
  const model = await findModel(name, deps)
  if (Object.keys(changes).length === 0) throw refused('Nothing is to be changed: name an option.')
  checkPolicy({ ...model.policy, ...changes })
  return deps.change(async ({ models, record }) => {
    await models.setPolicy(name, changes)
    const changed = await findModel(name, { models })
    await record({ action: 'model.set-policy', subject: showModelName(model), details: changes })
    return changed
  })
}
