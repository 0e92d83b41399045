/** Whether the policy still allows a new device when it is stored: it may have waited for its signature. */
import { isDeepStrictEqual } from 'node:util'
import type { TransactionStores } from '../../stores.ts'
import type { AllowedDevice } from './check-policy.ts'
import { whyNoRemodel } from './check-remodel.ts'

/**
 * Call it in the transaction, after every statement that may wait for a lock: what the operator took away before then
 * applies to this device too. Nobody removes the model until the transaction ends. False: check everything again.
 */
export async function policyStillAllows(
  { registration: { request, original, apiKey }, model, proposed }: AllowedDevice,
  stores: TransactionStores,
): Promise<boolean> {
  const { models, allowList } = stores
  const now = await models.hold(model)
  if (!now || !isDeepStrictEqual(now.policy, model.policy)) return false
  if (now.needsApiKey && apiKey === undefined) return false
  const device = { serial: proposed ?? null, deviceKeyId: request.fields.deviceKeyId }
  if (model.policy.registration === 'allow-list' && !(await allowList.has(model, device))) return false
  return !original || (await whyNoRemodel(original, model, stores)) === undefined
}
