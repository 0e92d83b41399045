/** Changes the policy of a model. */
import type { Changing } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import { findModel } from './find-model.ts'
import { type ModelName, type ModelPolicy, type StoredModel, showModelName } from './model-policy.ts'
import type { ModelStore } from './model-store.ts'
import { checkSerialTemplate } from './serial-template.ts'

interface SetPolicyDeps {
  readonly models: Pick<ModelStore, 'find'>
  readonly change: Changing<{ readonly models: Pick<ModelStore, 'find' | 'setPolicy'> }>
}

/** Settings not named stay. Takes effect with the next registration. Throws `invalid-field`. */
export async function setPolicy(
  name: ModelName,
  changes: Partial<ModelPolicy>,
  deps: SetPolicyDeps,
): Promise<StoredModel> {
  const model = await findModel(name, deps)
  if (Object.keys(changes).length === 0) throw invalidField('There is nothing to change: give an option.')
  checkSerialTemplate({ ...model.policy, ...changes }.serialTemplate)
  return deps.change(async ({ models, record }) => {
    await models.setPolicy(name, changes)
    const changed = await findModel(name, { models })
    await record({ action: 'model.set-policy', subject: showModelName(model), details: changes })
    return changed
  })
}
