/** Whether what let a new device in still stands when it is stored: it may have waited for its signature. */
import { isDeepStrictEqual } from 'node:util'
import type { StoredModel } from '../../brands/models/model-policy.ts'
import { whyNoRemodel } from './check-remodel.ts'
import type { RegisterStores } from './register-stores.ts'
import type { Ask } from './registration.ts'

interface Admission {
  readonly ask: Ask
  /** As it was when the device was let in. */
  readonly model: StoredModel
  readonly proposed: string | undefined
}

/**
 * Asked in the transaction, after all that may have to wait there: whatever the operator took away before holds for
 * this device too. The model is held, so that it is not removed under the device. False: look at everything again.
 */
export async function isStillAdmitted(
  { ask: { request, original }, model, proposed }: Admission,
  { models, allowList, devices }: RegisterStores,
): Promise<boolean> {
  const now = await models.hold(model)
  if (!now || !isDeepStrictEqual(now.policy, model.policy)) return false
  const device = { model, serial: proposed ?? null, deviceKeyId: request.fields.deviceKeyId }
  if (model.policy.registration === 'allow-list' && !(await allowList.has(model, device))) return false
  return !original || (await whyNoRemodel(original, model, { models, devices })) === undefined
}
