/** Routes for the pages that store a model's assertion after a preview. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { brandsBeforeTyping, refuseBeforeTyping } from '../../http/console/before-typing.ts'
import { seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { etagOf } from '../../http/management/etag.ts'
import {
  checkModelPage,
  checkNewerPage,
  newerPage,
  newModelPage,
} from '../../web/console/models/assertion-pages.ts'
import { modelName, modelPath } from '../../web/console/models/model-table.ts'
import { words } from '../../web/words/en.ts'
import { modelOf, pasted, policyTyped } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.models

/** The operation's defaults. The registration policy has no default, so users have to choose it. */
const STANDARD = {
  ...{ proposed_serial: 'optional', taken_serial: 'refuse', serials: 'uuid' },
  ...{ hardware_identity: 'ignored', clones: 'record' },
} as const

export function newModelPageRoutes({ form }: ConsoleRoutes): void {
  form('/models/new', {
    onlyReads: (fields) => fields.get('do') !== 'add',
    show: async (asked) => {
      // Users who cannot manage any brand are refused before they type.
      brandsBeforeTyping(asked.authority, 'models:manage')
      return newModel(asked)
    },
    send: async (asked) => {
      const { call, fields } = asked
      if (fields.get('do') === 'change') return newModel(asked)
      const { registration, ...rest } = policyTyped(fields)
      if (!registration) throw invalidField(words.policy.chooseRegistration, { field: 'registration' })
      const policy = { ...rest, registration }
      const body = { assertion: pasted(fields, 'assertion'), policy }
      if (fields.get('do') !== 'add') {
        return checkModelPage(asked.form, await call(api.addModel, { body, dryRun: true }))
      }
      const model = await call(api.addModel, { body })
      return new GoTo(modelPath(model), text.addedNotice(modelName(model)))
    },
  })

  form('/models/:brand/:model/assertion', {
    onlyReads: (fields) => fields.get('do') !== 'replace',
    show: async (asked) => {
      const model = await modelOf(asked)
      refuseBeforeTyping(asked.authority, 'models:manage', model.brand_id)
      return newerPage({ form: asked.form, model })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      if (fields.get('do') === 'change') return newerPage({ form: asked.form, model })
      const body = { assertion: pasted(fields, 'assertion') }
      if (fields.get('do') !== 'replace') {
        const wouldBe = await call(api.updateModel, { parameters, body, dryRun: true })
        return checkNewerPage({ form: asked.form, model, wouldBe, etag: etagOf(model) })
      }
      const ifMatch = seenIn(fields)
      const { revision } = await call(api.updateModel, { parameters, body, ifMatch })
      return new GoTo(modelPath(model), text.newerNotice(revision))
    },
  })
}

const newModel = ({ form }: Pick<ConsoleAsked, 'form'>) => newModelPage({ form, standard: STANDARD })
