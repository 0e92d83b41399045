/** Changes the policy of a model. */
import { isDeepStrictEqual } from 'node:util'
import type { Stores } from '../../stores.ts'
import { managedModel, type NamedModel, noSuchModel } from './find-model.ts'
import { type ModelPolicy, showModelName } from './model-policy.ts'
import { checkSerialTemplate } from './serial-template.ts'
import { type ModelDetails, modelDetails } from './show-model.ts'

/** A change of a model, and the caller's authority. */
export interface ModelChange extends NamedModel {
  /**
   * Compares the model with the state that the caller decided about, under the lock of its row. Throws
   * `version-mismatch`. By default, any state is accepted.
   */
  readonly mustBeSeen?: ((now: ModelDetails) => void) | undefined
}

/**
 * Changes the given settings, with effect from the next registration. Throws {@link RequestError} as
 * `managedModel` does, `invalid-field` for a template, and the errors of `mustBeSeen`.
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
