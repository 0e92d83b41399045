/** Removes a model that no device has. */
import { brandsFor, covers } from '../../authority.ts'
import { stillReferenced } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { managedModel, noSuchModel } from './find-model.ts'
import { type ModelName, showModelName } from './model-policy.ts'
import type { ModelChange } from './set-policy.ts'
import { modelDetails } from './show-model.ts'

/** The number of records removed with the model. */
export interface RemovedModel {
  readonly apiKeys: number
  /** Remodels to this model and from it, of brands that the caller can see. */
  readonly remodels: number
}

/**
 * Removes a model with its assertion, API keys and remodels. Throws {@link RequestError} as `managedModel`
 * does; `still-referenced` while the register has a device of it, in any state, or its allow-list has an
 * entry; and the errors of `mustBeSeen`.
 */
export async function removeModel(
  { mustBeSeen, ...named }: ModelChange,
  stores: Stores,
): Promise<RemovedModel> {
  const { authority } = named
  const name = await managedModel(named, stores)
  const brands = brandsFor(authority, 'models:read')
  const shown = showModelName(name)
  return stores.changeBy(authority.author)(async (on) => {
    const { models, assertions, apiKeys, allowList, devices, record } = on
    // A registration holds the model until its device is stored, so either we see the device, or the
    // registration does not find the model.
    const now = (await models.lock(name)) && (await models.findOpen(name))
    if (!now) throw noSuchModel(name)
    mustBeSeen?.(await modelDetails(now, { ...stores, ...on }))
    const [device] = await devices.list({ brandId: name.brandId, model: name.model, limit: 1 })
    if (device !== undefined) {
      throw stillReferenced(
        `The register has devices of ${shown}, and they keep their model. To stop new registrations, set the policy to allow-list with \`ratafia models set-policy ${shown} --registration allow-list\`, and keep the list empty.`,
        { kind: 'model', id: shown, by: 'devices' },
      )
    }
    const [entry] = await allowList.list(name, { limit: 1 })
    if (entry !== undefined) {
      throw stillReferenced(
        `The allow-list of ${shown} is not empty. Empty it first: \`ratafia allow-list remove --all --model ${shown}\`.`,
        { kind: 'model', id: shown, by: 'allow-list' },
      )
    }
    const keys = await apiKeys.removeAll(name)
    const remodels = await models.remove(name)
    await assertions.remove('model', `16/${shown}`)
    await record({
      action: 'model.remove',
      subject: shown,
      details: { apiKeys: keys, remodels: remodels.length },
    })
    const seen = remodels.filter(({ from, to }) => covers(brands, from.brandId) && covers(brands, to.brandId))
    return { apiKeys: keys, remodels: seen.length }
  })
}

/** The result as the API and `--json` show it. */
export const removedModelRecord = (model: ModelName, { apiKeys, remodels }: RemovedModel) => ({
  removed: showModelName(model),
  api_keys: apiKeys,
  remodels,
})
