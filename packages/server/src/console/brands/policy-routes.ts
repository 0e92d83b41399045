/** The routes for the page that changes a model's policy. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField, RequestError } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { refuseBeforeTyping } from '../../http/console/before-typing.ts'
import { seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import type { Fields } from '../../http/console/fields.ts'
import { etagOf } from '../../http/management/etag.ts'
import type { Model } from '../../web/console/models/model-says.ts'
import { modelPath } from '../../web/console/models/model-table.ts'
import { addedWarnings, type Policy, policyPage } from '../../web/console/models/policy-page.ts'
import { words } from '../../web/words/en.ts'
import { modelOf, policyTyped } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.policy

export function policyPageRoutes({ form }: ConsoleRoutes): void {
  form('/models/:brand/:model/policy', {
    show: async (asked) => {
      const model = await modelOf(asked)
      // Users without the permission are refused before they choose.
      refuseBeforeTyping(asked.authority, 'models:manage', model.brand_id)
      return policyPage({
        form: asked.form,
        model,
        etag: etagOf(model),
        wouldBe: await wouldBe(asked, model),
      })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const ifMatch = seenIn(fields)
      const model = await modelOf(asked)
      const body = changesIn(fields, model)
      if (Object.keys(body).length === 0) return new GoTo(modelPath(model), text.unchanged)
      const after = await call(api.setPolicy, { parameters, body, ifMatch, dryRun: true })
      const accepted = fields.all('accepted')
      if (addedWarnings(model, after).some(({ setting }) => !accepted.includes(setting))) {
        throw invalidField(text.readFirst, { field: 'accepted' })
      }
      await call(api.setPolicy, { parameters, body, ifMatch })
      return new GoTo(modelPath(model), text.saved)
    },
  })
}

/** Returns the settings that differ from the current policy. */
const changesIn = (fields: Fields, now: Policy): Partial<Policy> =>
  Object.fromEntries(
    Object.entries(policyTyped(fields)).filter(([name, value]) => now[name as keyof Policy] !== value),
  )

/**
 * Returns the model with the policy that the user typed, to show its warnings before it is saved. Returns undefined
 * if the policy is refused, because the form already shows why.
 */
async function wouldBe({ call, fields, form, parameters }: ConsoleAsked, now: Model) {
  if (!form.isAgain) return undefined
  try {
    return await call(api.setPolicy, { parameters, body: changesIn(fields, now), dryRun: true })
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}
