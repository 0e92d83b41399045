/** Changes the policy of a model. */
import { invalidField } from '../../errors.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { findModel } from './find-model.ts'
import { type ModelName, type ModelPolicy, type StoredModel, showModelName } from './model-policy.ts'
import { checkSerialTemplate } from './serial-template.ts'

/** Settings not named stay. Takes effect with the next registration. Throws `invalid-field`. */
export async function setPolicy(
  name: ModelName,
  changes: Partial<ModelPolicy>,
  deps: Pick<BrandDeps, 'models' | 'change'>,
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
