/** Looks models up. */

import { refused } from '../assertion-file.ts'
import type { StoredModel } from './model-policy.ts'
import { type ModelName, showModelName } from './model-policy.ts'
import type { ModelStore } from './model-store.ts'

export interface ModelDeps {
  readonly models: ModelStore
}

/** Throws `invalid-field` when there is none. */
export async function findModel(
  name: ModelName,
  { models }: Pick<ModelDeps, 'models'>,
): Promise<StoredModel> {
  const model = await models.find(name)
  if (model) return model
  throw refused(
    `There is no model ${showModelName(name).slice(0, 128)}. \`ratafia models list\` shows them, \`ratafia models add\` adds one.`,
  )
}

/** By brand and name. */
export const listModels = ({ models }: ModelDeps): Promise<readonly StoredModel[]> => models.list()
