/** Looks models up: the policy that the operator chose, and the assertion that the brand signed. */
import type { UnverifiedAssertion } from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import type { AssertionStore } from '../trust/assertion-store.ts'
import { findAssertion } from '../trust/trust.ts'
import { type ModelName, type StoredModel, showModelName } from './model-policy.ts'
import type { ModelStore } from './model-store.ts'

/** Throws `invalid-field` if there is none. */
export async function findModel(
  name: ModelName,
  { models }: { readonly models: ModelStore },
): Promise<StoredModel> {
  const model = await models.find(name)
  if (model) return model
  throw invalidField(
    `There is no model ${showModelName(name).slice(0, 128)}. \`ratafia models list\` shows them, \`ratafia models add\` adds one.`,
  )
}

/** Undefined if none is stored. Nothing is verified here. */
export const findModelAssertion = (
  { brandId, model }: ModelName,
  deps: { readonly assertions: AssertionStore },
): Promise<UnverifiedAssertion<'model'> | undefined> => findAssertion('model', ['16', brandId, model], deps)
