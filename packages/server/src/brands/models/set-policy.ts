/** Changes the policy of a model. */
import { isDeepStrictEqual } from 'node:util'
import type { Stores } from '../../stores.ts'
import { managedModel, type NamedModel, noSuchModel } from './find-model.ts'
import { type ModelPolicy, showModelName } from './model-policy.ts'
import { checkSerialTemplate } from './serial-template.ts'
import { type ModelDetails, modelDetails } from './show-model.ts'

/** A change of a model, and who makes it. */
export interface ModelChange extends NamedModel {
  /**
   * Compares the model with the one that the caller decided about, under the lock of its row. Throws `version-mismatch`.
   * Default: whatever it is now.
   */
  readonly mustBeSeen?: (now: ModelDetails) => void
}

/**
 * Settings not named stay. Takes effect with the next registration. Throws {@link RequestError} as `managedModel` does,
 * `invalid-field` for a template, and what `mustBeSeen` throws.
 */
export async function setPolicy(
  { changes, mustBeSeen, ...named }: ModelChange & { readonly changes: Partial<ModelPolicy> },
  stores: Stores,
): Promise<ModelDetails> {
  const model = await managedModel(named, stores)
  checkSerialTemplate({ ...model.policy, ...changes }.serialTemplate)
  return stores.changeBy(named.authority.author)(async (on) => {
    const { models, record } = on
    const before = (await models.queue(model)) && (await models.findOpen(model))
    if (!before) throw noSuchModel(model)
    const details = await modelDetails(before, { ...stores, ...on })
    mustBeSeen?.(details)
    const policy = { ...before.policy, ...changes }
    if (isDeepStrictEqual(policy, before.policy)) return details
    await models.setPolicy(model, changes)
    await record({ action: 'model.set-policy', subject: showModelName(model), details: changes })
    return { ...details, policy }
  })
}
