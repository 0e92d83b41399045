/** Takes a model back that no device has. */
import type { Changing } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import type { AssertionStore } from '../trust/assertion-store.ts'
import type { AllowListStore } from './allow-list/allow-list-store.ts'
import type { ApiKeyStore } from './api-keys/api-key-store.ts'
import { findModel } from './find-model.ts'
import { type ModelName, showModelName } from './model-policy.ts'
import type { ModelStore } from './model-store.ts'

interface Removing {
  readonly models: Pick<ModelStore, 'lock' | 'remove'>
  readonly assertions: Pick<AssertionStore, 'remove'>
  readonly apiKeys: Pick<ApiKeyStore, 'removeAll'>
  readonly allowList: Pick<AllowListStore, 'list'>
  /** The register. */
  readonly devices: { list(filter: ModelName & { readonly limit: number }): Promise<readonly unknown[]> }
}

/** What went with it. */
export interface RemovedModel {
  readonly apiKeys: number
  /** Of devices that might have become it, and of its devices that might have become another. */
  readonly remodels: number
}

/**
 * With its assertion, its API keys and what it may become. Throws `invalid-field` when there is none, and while the
 * register has a device of it, whatever its state, or its allow-list an entry.
 */
export async function removeModel(
  name: ModelName,
  deps: { readonly models: Pick<ModelStore, 'find'>; readonly change: Changing<Removing> },
): Promise<RemovedModel> {
  await findModel(name, deps)
  const shown = showModelName(name)
  return deps.change(async ({ models, assertions, apiKeys, allowList, devices, record }) => {
    // A registration holds the model until its device is stored: it comes before the look, or finds no model.
    if (!(await models.lock(name)))
      throw invalidField(`The model ${shown} was just removed by somebody else.`)
    const [device] = await devices.list({ ...name, limit: 1 })
    if (device !== undefined) {
      throw invalidField(
        `The register has devices of ${shown}, and they keep their model. \`ratafia models set-policy ${shown} --registration allow-list\` with an empty allow-list lets no more in.`,
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
