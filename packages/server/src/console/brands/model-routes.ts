/** Routes for the model pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidField, RequestError } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { brandsBeforeTyping, refuseBeforeTyping } from '../../http/console/before-typing.ts'
import { requireTyped, seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import type { Fields } from '../../http/console/fields.ts'
import { etagOf } from '../../http/management/etag.ts'
import { may } from '../../web/console/may.ts'
import {
  checkModelPage,
  checkNewerPage,
  newerPage,
  newModelPage,
} from '../../web/console/models/assertion-pages.ts'
import { modelPage, type RemoveModelPage, removeModelPage } from '../../web/console/models/model-page.ts'
import type { Model } from '../../web/console/models/model-says.ts'
import { modelName, modelPath, modelsPage } from '../../web/console/models/model-table.ts'
import { addedWarnings, type Policy, policyPage } from '../../web/console/models/policy-page.ts'
import { remodelsPage, removeRemodelPage } from '../../web/console/models/remodel-pages.ts'
import { words } from '../../web/words/en.ts'
import { deviceCountsOf, modelOf, pasted, policyTyped } from './common-routes.ts'

const api = MANAGEMENT_OPERATIONS
/** The number of entries that are counted; the page then shows that there are more. */
const MOST = 1000

export function modelPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/models', async ({ call, me, query }) => {
    const asked = { brand: query.get('brand'), cursor: query.get('cursor') }
    const { models, next } = await call(api.models, { query: asked })
    const counts = await deviceCountsOf([...new Set(models.map(({ brand_id }) => brand_id))], call)
    return modelsPage({ models, next, query, counts, mayAdd: may(me, 'models:manage') })
  })

  page('/models/:brand/:model', async (asked) => {
    const { call, me, parameters, now } = asked
    const model = await modelOf(asked)
    return modelPage({
      ...{ model, now },
      counts: await call(api.deviceCounts, { query: { brand: [model.brand_id] } }),
      apiKeys: await call(api.apiKeys, { parameters }),
      allowList: await call(api.allowList, { parameters, query: { limit: MOST } }),
      remodels: await call(api.remodels, { parameters, query: { limit: 10 } }),
      mayManage: may(me, 'models:manage', model.brand_id),
    })
  })

  form('/models/:brand/:model/remove', {
    show: async (asked) => {
      const model = await modelOf(asked)
      return removeModelPage({
        form: asked.form,
        model,
        etag: etagOf(model),
        outcome: await outcomeOf(asked),
      })
    },
    send: async ({ call, fields, parameters }) => {
      const { brand = '', model = '' } = parameters
      const name = modelName({ brand_id: brand, model })
      requireTyped(fields, name)
      await call(api.removeModel, { parameters, ifMatch: seenIn(fields) })
      return new GoTo(`/console/brands/${encodeURIComponent(brand)}`, words.models.removedNotice(name))
    },
  })
}

/** Returns the effect of a removal, or the records that still need the model. */
async function outcomeOf({ call, parameters }: ConsoleAsked): Promise<RemoveModelPage['outcome']> {
  try {
    return await call(api.removeModel, { parameters, dryRun: true })
  } catch (error) {
    if (!(error instanceof RequestError && error.code === 'still-referenced')) throw error
    return { message: error.message, by: String(error.extra['by']) }
  }
}

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
      if (Object.keys(body).length === 0) return new GoTo(modelPath(model), words.policy.unchanged)
      const after = await call(api.setPolicy, { parameters, body, ifMatch, dryRun: true })
      const accepted = fields.all('accepted')
      if (addedWarnings(model, after).some(({ setting }) => !accepted.includes(setting))) {
        throw invalidField(words.policy.readFirst, { field: 'accepted' })
      }
      await call(api.setPolicy, { parameters, body, ifMatch })
      return new GoTo(modelPath(model), words.policy.saved)
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

export function remodelPageRoutes({ form }: ConsoleRoutes): void {
  form('/models/:brand/:model/remodels', {
    show: async (asked) => {
      const { call, me, parameters, query } = asked
      const model = await modelOf(asked)
      const { remodels, next } = await call(api.remodels, {
        parameters,
        query: { cursor: query.get('cursor') },
      })
      const mayManage = may(me, 'models:manage', model.brand_id)
      return remodelsPage({ form: asked.form, model, remodels, next, query, mayManage })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      const { to } = await call(api.addRemodel, { parameters, body: { to: fields.get('to') ?? '' } })
      return new GoTo(`${modelPath(model)}/remodels`, words.remodels.addedNotice(to))
    },
  })

  form('/models/:brand/:model/remodels/:to_brand/:to_model/remove', {
    show: async (asked) => {
      const { call, parameters } = asked
      const model = await modelOf(asked)
      const remodel = await call(api.removeRemodel, { parameters, dryRun: true })
      return removeRemodelPage({ form: asked.form, model, remodel, etag: etagOf(remodel) })
    },
    send: async (asked) => {
      const { call, fields, parameters } = asked
      const model = await modelOf(asked)
      const { to } = await call(api.removeRemodel, { parameters, ifMatch: seenIn(fields) })
      return new GoTo(`${modelPath(model)}/remodels`, words.remodels.removedNotice(to))
    },
  })
}

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
      return new GoTo(modelPath(model), words.models.addedNotice(modelName(model)))
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
      return new GoTo(modelPath(model), words.models.newerNotice(revision))
    },
  })
}

const newModel = ({ form }: Pick<ConsoleAsked, 'form'>) => newModelPage({ form, standard: STANDARD })
