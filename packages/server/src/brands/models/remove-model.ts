/** Removes a model that no device has. */
import { invalidField } from '../../errors.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { findModel } from './find-model.ts'
import { type ModelName, showModelName } from './model-policy.ts'

/** How much was removed with it. */
export interface RemovedModel {
  readonly apiKeys: number
  /** Both of devices that might have become it, and of its devices that might have become another. */
  readonly remodels: number
}

/**
 * Removes its assertion, API keys and remodels, too. Throws `invalid-field` if there is no such model, and while the
 * register has a device of it, in whatever state, or its allow-list has an entry.
 */
export async function removeModel(
  name: ModelName,
  deps: Pick<BrandDeps, 'models' | 'change'>,
): Promise<RemovedModel> {
  await findModel(name, deps)
  const shown = showModelName(name)
  return deps.change(async ({ models, assertions, apiKeys, allowList, devices, record }) => {
    // A registration holds the model until its device is stored: either we see the device, or it finds no model.
    if (!(await models.lock(name)))
      throw invalidField(`The model ${shown} has just been removed by somebody else.`)
    const [device] = await devices.list({ ...name, limit: 1 })
    if (device !== undefined) {
      throw invalidField(
        `The register has devices of ${shown}, and they keep their model. To let no more in, keep its allow-list empty and run \`ratafia models set-policy ${shown} --registration allow-list\`.`,
      )
    }
    const [entry] = await allowList.list(name, { limit: 1 })
    if (entry !== undefined) {
      throw invalidField(
        `The allow-list of ${shown} is not empty. Empty it first: \`ratafia allow-list remove --all --model ${shown}\`.`,
      )
    }
    const details = { apiKeys: await apiKeys.removeAll(name), remodels: await models.remove(name) }
    await assertions.remove('model', `16/${shown}`)
    await record({ action: 'model.remove', subject: shown, details })
    return details
  })
}
