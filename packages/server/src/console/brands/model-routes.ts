/** Routes for the model pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { RequestError } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { requireTyped, seenIn } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { etagOf } from '../../http/management/etag.ts'
import { may } from '../../web/console/may.ts'
import { modelPage, type RemoveModelPage, removeModelPage } from '../../web/console/models/model-page.ts'
import { modelName, modelsPage } from '../../web/console/models/model-table.ts'
import { words } from '../../web/words/en.ts'
import { deviceCountsOf, modelOf } from './common-routes.ts'

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
